# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels, and kernels as wholes. What makes them race-free is said in kernels.py."""
from idioms import Idioms
from kernels import RECORD, SETTINGS, SIZES, UNSIGNED, VECTORS, Kernel

ATOMICS = [("atomic_add", "atomic_sub", "atomic_inc", "atomic_dec"), ("atomic_min",), ("atomic_max",), ("atomic_and",), ("atomic_or",), ("atomic_xor",)]


class KernelWriter(Idioms):
    def __init__(self, rng, name, ranges, oddities):
        super().__init__(rng, name, ranges)
        self.oddities = oddities  # kernels that have to stay whole are welcome
        self.barriers = self.local_known and self.chance(30)
        self.max_local = max(r.group_items for r in ranges)

    # -- writing

    def owned(self):
        known = self.having("own")
        if known and (len(known) >= 4 or self.chance(55)):
            return self.rng.choice(known)
        form = self.form()
        per_item = self.rng.choice([1, 1, 1, 2, 3, 4, 4])
        pitch = form.limit + self.rng.choice([0, 0, 5]) if self.chance(35) else 0
        base = self.rng.choice([0, 0, 0, 1, 6])
        kind = self.rng.choice(list(SIZES))
        extent = base + (pitch * per_item if pitch else form.limit * per_item)
        own = self.add(role="own", type=kind, elements=extent, form=form, per_item=per_item, pitch=pitch, base=base, restrict=self.chance(20))
        if per_item == 2 and self.chance(40):
            # Two arguments for one buffer, each for one of a work-item's two elements.
            own.only, own.restrict = 0, False
            twin = self.add(role="own", type=kind, elements=extent, form=form, per_item=2, pitch=pitch, base=base, only=1, partner=own.name)
            return self.rng.choice([own, twin])
        return own

    def element(self, own):
        """Which of a work-item's own elements, as an index into the buffer."""
        rng = self.rng
        if own.only is not None:
            which = str(own.only)
        elif own.per_item == 1:
            which = "0"
        else:
            counters = [name for name, limit in self.loops if limit <= own.per_item]
            which = rng.choice(counters) if counters and self.chance(60) else str(rng.randrange(own.per_item))
            if self.chance(10):
                which = f"({self.whole(1)} % {own.per_item}u)"
        if own.pitch:
            text = f"{which} * {self.constant(own.pitch)} + {own.form.text}" if which != "0" else own.form.text
        elif own.per_item > 1:
            text = f"{own.form.text} * {own.per_item} + {which}"
        else:
            text = own.form.text
        return f"{text} + {own.base}" if own.base else text

    def value(self, kind):
        text = self.whole()
        if kind in ("float", "double"):
            return f"({kind})({text} & 0xffffu)"
        if kind in VECTORS:
            part, lanes = VECTORS[kind]
            return f"({kind})(" + ", ".join(self.value(part) for _ in range(lanes)) + ")"
        return text if kind == "uint" else f"({kind})({text})"

    def target(self, own):
        """An element or a part of one, and the part's type."""
        place = f"{own.name}[{self.element(own)}]"
        if own.type == "Record":
            part = self.rng.choice("abcd")
            return f"{place}.{part}", {"a": "uint", "b": "ushort"}.get(part, "uchar")
        if own.type in VECTORS and self.chance(40):
            part, lanes = VECTORS[own.type]
            return f"{place}.{self.rng.choice('xyzw'[:lanes])}", part
        return place, own.type

    def store(self):
        own = self.owned()
        place, kind = self.target(own)
        choice = self.rng.randrange(10)
        if choice == 0 and kind in UNSIGNED:
            text = f"{place} {self.rng.choice(['+=', '^=', '|=', '-=', '*='])} {self.value(kind)};"
        elif choice == 1 and kind in UNSIGNED:
            text = f"{place}{self.rng.choice(['++', '--'])};"
        elif choice == 2 and own.type in ("uint", "int", "ushort", "float", "uchar") and own.per_item in (2, 4) and not own.pitch and own.only is None:
            wide = ", ".join(self.value(own.type) for _ in range(own.per_item))
            text = f"vstore{own.per_item}(({own.type}{own.per_item})({wide}), {own.form.text}, {own.name} + {own.base});"
        elif choice == 3 and own.type == "uint":
            text = f"put{self.kernel.name}({own.name}, {self.element(own)}, {self.value('uint')});"
            self.helper(f"void put{self.kernel.name}(__global uint *to, size_t at, uint value) {{\n  to[at] = value;\n}}\n")
        else:
            text = f"{place} = {self.value(kind)};"
        return self.leaders_only(own, text)

    def leaders_only(self, own, text):
        return f"if ({self.local_linear()} == 0) {text}" if own.form.leaders else text

    def own_read(self):
        own = self.owned()
        if own.form.leaders:
            return self.declare()
        return self.bind("uint", self.as_uint(own, f"{own.name}[{self.element(own)}]"))

    def atomic(self):
        sums = self.having("atomic")
        if not sums or self.chance(30):
            kind = self.rng.choice(["uint", "int"])
            target = self.add(role="atomic", type=kind, elements=self.rng.choice([1, 8, 37, 256]), atomic=self.rng.choice(ATOMICS))
        else:
            target = self.rng.choice(sums)
        function = self.rng.choice(target.atomic)
        value = "" if function in ("atomic_inc", "atomic_dec") else f", {self.value(target.type)}"
        return f"{function}(&{target.name}[{self.whole(1)} % {target.elements}u]{value});"

    def used_atomic(self):
        own = self.owned()
        if own.type not in ("uint", "int") or own.form.leaders:
            return self.atomic()
        return self.bind("uint", f"(uint)atomic_add(&{own.name}[{self.element(own)}], {self.value(own.type)})")

    # -- variables and control

    def helper(self, text):
        if text not in self.helpers:
            self.helpers.append(text)

    def bind(self, kind, text):
        name = self.fresh("v")
        self.scope.append((name, kind))
        return f"{kind} {name} = {text};"

    def declare(self):
        choice = self.rng.randrange(9)
        if choice == 0:
            return self.bind("int", self.small())
        if choice == 1:
            return self.bind(self.rng.choice(["ulong", "long", "ushort", "uchar"]), self.whole())
        if choice == 2:
            return self.bind("size_t", self.geometry())
        if choice == 3:
            return self.private_array()
        if choice == 4:
            return self.helper_call()
        return self.bind("uint", self.whole(3))

    def private_array(self):
        name, count = self.fresh("a"), self.rng.choice([3, 4, 8])
        first = ", ".join(self.whole(1) for _ in range(count))
        lines = [f"uint {name}[{count}] = {{{first}}};", f"{name}[{self.whole(1)} % {count}u] = {self.whole(1)};"]
        lines.append(self.bind("uint", f"{name}[{self.whole(1)} % {count}u] + {name}[{self.rng.randrange(count)}]"))
        return "\n".join(lines)

    def helper_call(self):
        name = self.fresh(f"mix{self.kernel.name}_")
        outer, self.scope = self.scope, [("a", "uint"), ("b", "uint")]
        loops, self.loops = self.loops, []
        parameters, self.kernel.parameters = self.kernel.parameters, []
        body = []
        if self.chance(40):
            body.append(f"  if {self.pure_condition()} return {self.pure()};")
        body.append(f"  return {self.pure()};")
        self.scope, self.loops, self.kernel.parameters = outer, loops, parameters
        inline = self.rng.choice(["", "", "inline ", "static "])
        if inline == "inline ":
            inline = "static inline "
        self.helper(f"{inline}uint {name}(uint a, uint b) {{\n" + "\n".join(body) + "\n}\n")
        return self.bind("uint", f"{name}({self.whole(1)}, {self.whole(1)})")

    def pure(self):
        """Of a helper's own parameters and geometry; it sees none of the kernel's arguments."""
        part = lambda: self.rng.choice(["a", "b", f"(uint){self.geometry()}", str(self.rng.randrange(1, 99)) + "u"])
        return f"({part()} {self.rng.choice(['+', '*', '^', '-'])} ({part()} {self.rng.choice(['+', '&', '|'])} {part()}))"

    def pure_condition(self):
        return f"({self.pure()} % {self.rng.randrange(2, 5)}u == 0u)"

    def block(self, size, uniform=False):
        depth = len(self.scope), len(self.loops)
        lines = [self.statement(size - 1, uniform) for _ in range(self.rng.randrange(1, 3))]
        del self.scope[depth[0]:]
        del self.loops[depth[1]:]
        return "{\n" + "\n".join(lines) + "\n}"

    def loop(self, size, uniform):
        name, trips = self.fresh("i"), self.rng.choice([1, 2, 3, 4, 5, 9])
        bound = self.constant(trips) if uniform or self.chance(70) else f"min({self.leaf()}, {trips}u)"
        kind = self.rng.choice(["uint", "int", "size_t"])
        if bound.startswith("min"):
            kind = "uint"
        shape = self.rng.randrange(6)
        depth = len(self.scope)
        self.loops.append((name, trips))
        extra = ""
        if not uniform and self.chance(15):
            extra = f"if {self.condition(0)} {self.rng.choice(['break', 'continue'] if shape < 4 else ['break'])};\n"
        body = self.block(size, uniform)[2:]
        self.loops.pop()
        del self.scope[depth:]
        if shape == 0:
            return f"for ({kind} {name} = ({kind}){bound}; {name}-- > 0;) {{\n{extra}{body}"
        if shape == 1:
            return f"for ({kind} {name} = 0, n{name} = ({kind}){bound}; {name} != n{name}; {name} += 1) {{\n{extra}{body}"
        if shape == 4:
            return f"{kind} {name} = 0;\nwhile ({name} < ({kind}){bound}) {{\n{extra}{body[:-1]}++{name};\n}}"
        if shape == 5 and trips > 0 and not bound.startswith("min"):
            return f"{kind} {name} = 0;\ndo {{\n{extra}{body[:-1]}}} while (++{name} < ({kind}){bound});"
        return f"for ({kind} {name} = 0; {name} < ({kind}){bound}; ++{name}) {{\n{extra}{body}"

    def grid_stride(self):
        """Every work-item walks the buffer by the launch's size: it owns the elements congruent to its number."""
        kind, name = self.rng.choice(["uint", "int", "ulong", "float", "uchar"]), self.fresh("i")
        count = self.rng.randrange(1, 3 * self.items + 2)
        own = self.add(role="own", type=kind, elements=count, form=None)
        own.role = "strided"
        step = " * ".join(f"get_global_size({d})" for d in range(self.dims))
        self.scope.append((name, "uint"))
        text = f"for (uint {name} = {self.linear()}; {name} < {self.constant(count)}; {name} += {step}) "
        text += f"{own.name}[{name}] = {self.value(kind)};"
        self.scope.pop()
        return text

    def switch(self, size):
        cases = "".join(f"case {i}: {self.block(size)} {self.rng.choice(['break;', 'break;', ''])}\n" for i in range(self.rng.randrange(1, 4)))
        return f"switch ({self.whole(1)} % 5u) {{\n{cases}default: {self.block(0)}\n}}"

    def conditional(self, size):
        text = f"if {self.condition()} {self.block(size)}"
        return f"{text} else {self.block(size)}" if self.chance(40) else text

    # -- local memory; only where control is uniform

    def scratch(self, elements):
        name = self.fresh("tile")
        if self.chance(60):
            self.locals.append(f"__local uint {name}[{elements}];")
            return name
        return self.add(role="local", type="uint", elements=elements).name

    def exchange(self):
        tile, me, count = self.scratch(self.max_local), self.local_linear(), self.local_total()
        lines = [f"{tile}[{me}] = {self.whole()};", "barrier(CLK_LOCAL_MEM_FENCE);"]
        choice = self.rng.randrange(3)
        if choice == 0:
            lines.append(self.bind("uint", f"{tile}[({me} + {self.constant(self.rng.randrange(1, 9))}) % {count}]"))
        elif choice == 1:
            step = self.fresh("s")
            lines.append(f"for (uint {step} = 1; {step} < {count}; {step} <<= 1) {{\nif ({me} % (2 * {step}) == 0 && {me} + {step} < {count}) "
                         f"{tile}[{me}] += {tile}[{me} + {step}];\nbarrier(CLK_LOCAL_MEM_FENCE);\n}}")
            lines.append(self.bind("uint", f"{tile}[0]"))
        else:
            lines.append(self.bind("uint", f"{tile}[{count} - 1 - {me}] + {tile}[{self.whole(1)} % (uint){count}]"))
        lines.append("barrier(CLK_LOCAL_MEM_FENCE);")
        return "\n".join(lines)

    def local_sum(self):
        tile, me = self.scratch(8), self.local_linear()
        lines = [f"if ({me} == 0) for (int z = 0; z < 8; ++z) {tile}[z] = 0;", "barrier(CLK_LOCAL_MEM_FENCE);",
                 f"atomic_add(&{tile}[{self.whole(1)} & 7u], {self.whole(1)});", "barrier(CLK_LOCAL_MEM_FENCE);",
                 self.bind("uint", f"{tile}[{me} & 7]"), "barrier(CLK_LOCAL_MEM_FENCE);"]
        return "\n".join(lines)

    # -- the whole

    def statement(self, size, uniform=False):
        choice = self.rng.randrange(100)
        if size > 0:
            if choice < 12:
                return self.loop(size, uniform)
            if choice < 20:
                return self.conditional(size)
            if choice < 24:
                return self.switch(size)
        if choice < 32 and uniform and self.barriers:
            return self.rng.choice([self.exchange, self.exchange, self.local_sum])()
        if choice < 55:
            return self.declare()
        if choice < 59:
            return self.own_read()
        if choice < 62 and self.oddities:
            return self.rng.choice([self.atomic, self.atomic, self.used_atomic])()
        if choice < 65:
            return self.grid_stride()
        if choice < 80:
            return self.idiom(uniform)
        return self.store()

    def write(self):
        if self.chance(20):
            self.add(role="settings", type="Settings")
        lines = []
        if not self.barriers and self.chance(25):
            lines.append(f"if {self.condition()} return;")
        lines += [self.statement(2, uniform=True) for _ in range(self.rng.randrange(2, 6))]
        lines.append(self.store())
        if self.oddities:
            lines.append(self.atomic() if self.chance(60) else self.used_atomic())
        kernel = self.kernel
        self.rng.shuffle(kernel.parameters)
        signature = ", ".join(declaration(p) for p in kernel.parameters)
        attribute = ""
        if self.local_known and self.chance(15) and len({tuple(r.of("local", d) for d in range(3)) for r in self.ranges}) == 1:
            local = ", ".join(str(self.ranges[0].of("local", d)) for d in range(3))
            attribute = f"__attribute__((reqd_work_group_size({local}))) "
        body = "\n".join(self.locals + lines)
        kernel.text = "\n".join(self.macros) + "\n" + "\n".join(self.helpers)
        kernel.text += f"__kernel {attribute}void {kernel.name}({signature}) {{\n{body}\n}}\n"
        if not self.locals and not attribute and self.chance(12):
            inner = kernel.name
            kernel.name = f"{inner}_outer"
            kernel.text += f"__kernel void {kernel.name}({signature}) {{\n{inner}({', '.join(p.name for p in kernel.parameters)});\n}}\n"
        return kernel


def declaration(parameter):
    if parameter.role == "settings":
        return f"Settings {parameter.name}"
    if parameter.role == "value":
        return f"{parameter.type} {parameter.name}"
    space = {"table": "__constant ", "local": "__local "}.get(parameter.role, "__global ")
    const = "const " if parameter.role in ("read", "permutation", "alias") else ""
    restrict = "restrict " if parameter.restrict else ""
    return f"{space}{const}{parameter.type} *{restrict}{parameter.name}"


def program_text(kernels):
    return RECORD + SETTINGS + "\n".join(k.text for k in kernels)


__all__ = ["Kernel", "KernelWriter", "program_text"]
