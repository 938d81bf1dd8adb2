# SPDX-License-Identifier: Apache-2.0
"""Values of any type by the integer builtins and vector operations of OpenCL C. Arithmetic that could overflow is done in
unsigned types and seen as signed ones; floats hold small integers, so that every device gives the same bits."""
from model import REAL, SCALARS, SIZES, UNSIGNED, VECTORS, base_of

WIDER = {"uchar": "ushort", "ushort": "uint", "uint": "ulong", "char": "short", "short": "int", "int": "long"}
BITS = {kind: size * 8 for kind, size in SCALARS.items()}


def cast(kind, text):
    return text if kind == "uint" else f"({kind})({text})"


class TypedValues:
    """Mixed into Writer."""

    def value(self, kind):
        if kind == "Record":
            return self.record()
        if base_of(kind) in REAL:
            return self.real(kind)
        if kind in VECTORS:
            return self.vector(kind)
        if kind != "uint" and self.chance(25) or self.chance(8):
            return self.builtin(kind, [cast(kind, self.whole(1)) for _ in range(3)])
        return cast(kind, self.whole())

    def record(self):
        fields = ", ".join(self.value(kind) for kind in ("uint", "ushort", "uchar", "uchar"))
        if self.chance(50):
            return f"(Record){{{fields}}}"
        self.uses("helper")
        name = f"record{self.kernel.name}"
        self.helper(f"Record {name}(uint a, ushort b, uchar c, uchar d) {{\n  Record made = {{a, b, c, d}};\n  return made;\n}}\n")
        return f"{name}({fields})"

    def real(self, kind):
        base = base_of(kind)
        if kind in REAL:
            return f"({kind})({self.whole()} & 0xffffu)"
        if self.chance(50):
            return f"convert_{kind}({self.vector(kind.replace(base, 'ushort'))})"
        # Exact with and without contraction.
        a, b = (f"convert_{kind}({self.vector(kind.replace(base, 'uchar'))})" for _ in range(2))
        return self.rng.choice([f"({a} * ({kind})3 + {b})", f"mad({a}, ({kind})2, {b})", f"fma({a}, {a}, {b})", f"fmax({a}, {b})"])

    def builtin(self, kind, operands):
        """Any integer builtin on three operands of one integer type, scalar or vector."""
        a, b, c = operands
        self.uses("integer_builtin")
        base = base_of(kind)
        plain = [f"add_sat({a}, {b})", f"sub_sat({a}, {b})", f"hadd({a}, {b})", f"rhadd({a}, {b})", f"mul_hi({a}, {b})", f"clz({a})",
                 f"popcount({a})", f"min({a}, {b})", f"max({a}, {b})", f"clamp({a}, ({kind})3, ({kind})99)", f"mad_sat({a}, {b}, {c})",
                 f"bitselect({a}, {b}, {c})", f"rotate({a}, ({kind})(({kind})({b}) & ({kind}){BITS[base] - 1}))", self.selected(kind, a, b, c)]
        if base in UNSIGNED.values():
            plain += [f"mad_hi({a}, {b}, {c})", f"abs_diff({a}, {b})", f"abs({a})"]
        else:
            plain += [f"as_{kind}(abs_diff({a}, {b}))", f"as_{kind}(abs(max({a}, ({kind})-100)))", self.wrapped_product(kind, a, b)]
        if base in ("int", "uint"):
            mask = f"({kind})4095"
            plain += [f"mul24({a} & {mask}, {b} & {mask})", f"mad24({a} & {mask}, {b} & {mask}, ({kind})7)"]
        return self.rng.choice(plain + self.by_other_types(kind, a, b))

    def wrapped_product(self, kind, a, b):
        base = base_of(kind)
        if kind in VECTORS:
            unsigned = kind.replace(base, UNSIGNED[base])
            return f"as_{kind}(as_{unsigned}({a}) * as_{unsigned}({b}))"
        return f"({kind})((ulong)({a}) * (ulong)({b}))"

    def selected(self, kind, a, b, c):
        """select() by lane (vectors) or by truth (scalars)."""
        if kind in VECTORS:
            return f"select({a}, {b}, {a} {self.rng.choice(['<', '>', '==', '!='])} {c})"
        return f"(({a}) {self.rng.choice(['<', '>', '==', '!='])} ({c}) ? {a} : {b})"

    def by_other_types(self, kind, a, b):
        """Through a wider type: upsample, saturating conversion."""
        base = base_of(kind)
        made = []
        if base in WIDER:
            wide = kind.replace(base, WIDER[base])
            made.append(f"convert_{kind}_sat(convert_{wide}({a}) - convert_{wide}({b}))")
        narrow = next((n for n, w in WIDER.items() if w == base), None)
        if narrow:
            part, unsigned = kind.replace(base, narrow), kind.replace(base, UNSIGNED[narrow])
            made.append(f"upsample(convert_{part}({a}), convert_{unsigned}({b}))")
        return made

    def vector(self, kind, depth=1):
        base, lanes = VECTORS[kind]
        choice = self.rng.randrange(10)
        if depth == 0 or choice < 3:
            if self.chance(50):
                return f"({kind})({cast(base, self.leaf())})"
            count = min(lanes, 4)
            parts = [f"({kind.replace(str(lanes), str(lanes // count))})({cast(base, self.leaf())})" if lanes > count else cast(base, self.leaf())
                     for _ in range(count)]
            return f"({kind})({', '.join(parts)})"
        if choice < 5:
            return self.vector_load(kind)
        if choice == 5 and lanes <= 4:
            order = "".join(self.rng.choice("xyzw"[:lanes]) for _ in range(lanes))
            return f"({self.vector(kind, depth - 1)}).{order}"
        if choice == 6 and lanes > 3:
            half = self.vector(kind.replace(str(lanes), str(lanes // 2)), depth - 1)
            return f"({kind})({half}, {half})"
        operands = [self.vector(kind, depth - 1) for _ in range(3)]
        if choice == 7 and base in UNSIGNED.values():
            return f"({operands[0]} {self.rng.choice(['+', '-', '*', '^', '&', '|'])} {operands[1]})"
        return self.builtin(kind, operands)

    def vector_load(self, kind):
        known = [p for p in self.kernel.parameters if p.role in ("read", "table") and p.type == kind]
        if not known:
            known = [self.add(role="read", type=kind)]
        parameter = self.rng.choice(known)
        return f"{parameter.name}[{self.index(parameter)}]"

    def lane(self, kind):
        return f"s{self.rng.randrange(VECTORS[kind][1]):x}"

    def element_type(self, written=True):
        """Mostly scalars and short vectors: long ones make big buffers and slow builds. What is behind the third lane of a vector that is
        written is anything at all."""
        choice = self.rng.randrange(20)
        if choice < 12:
            return self.rng.choice(list(SCALARS))
        if choice == 12:
            return "Record"
        lanes = self.rng.choice([2, 2, 4, 4, 8, 16] if written else [2, 2, 3, 3, 4, 8, 16])
        return self.rng.choice([kind for kind in VECTORS if VECTORS[kind][1] == lanes and SIZES[kind] <= 32 + 32 * self.chance(25)])
