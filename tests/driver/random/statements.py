# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels, and kernels as wholes. What makes them race-free is said in kernels.py."""
from idioms import Idioms
from model import SCALARS, SIZES, VECTORS, base_of
from shared import Shared

MOST_CONSTANT = 48 * 1024  # bytes
UNSIGNED_SCALARS = ("uchar", "ushort", "uint", "ulong")


class KernelWriter(Idioms, Shared):
    """Writes one kernel."""

    def __init__(self, rng, name, ranges):
        super().__init__(rng, name, ranges)
        self.barriers = self.local_known and self.chance(35)
        self.oddity = rng.choices(["", "atomic", "exchanged", "used"], [70, 16, 6, 8])[0]
        self.max_local = max(r.group_items for r in ranges)

    # -- writing

    def owned(self):
        known = self.having("own")
        if known and (len(known) >= 3 or self.chance(60)):
            return self.rng.choice(known)
        form = self.form()
        per_item = self.rng.choice([1, 1, 1, 2, 3, 4, 4])
        pitch = form.limit + self.rng.choice([0, 0, 5]) if self.chance(35) else 0
        base = self.rng.choice([0, 0, 0, 1, 6])
        kind = self.element_type()
        if per_item > 1:
            self.uses("strided_write")
        extent = base + (pitch * per_item if pitch else form.limit * per_item)
        own = self.add(role="own", type=kind, elements=extent, form=form, per_item=per_item, pitch=pitch, base=base, restrict=self.chance(20))
        if per_item == 2 and self.chance(40):
            # Two arguments for one buffer, each for one of a work-item's two elements.
            self.uses("alias")
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

    def target(self, own):
        """An element or a part of one, and the part's type."""
        place = f"{own.name}[{self.element(own)}]"
        if own.type == "Record":
            if self.chance(40):
                return place, "Record"
            part = self.rng.choice("abcd")
            return f"{place}.{part}", {"a": "uint", "b": "ushort"}.get(part, "uchar")
        if own.type in VECTORS and self.chance(40):
            return f"{place}.{self.lane(own.type)}", base_of(own.type)
        return place, own.type

    def store(self):
        return self.written(self.owned())

    def written(self, own):
        choice = self.rng.randrange(10)
        if choice == 2 and self.vector_store_fits(own):
            return self.leaders_only(own, self.vector_store(own))
        place, kind = self.target(own)
        if choice == 0 and kind in UNSIGNED_SCALARS:
            text = f"{place} {self.rng.choice(['+=', '^=', '|=', '-=', '*='])} {self.value(kind)};"
        elif choice == 1 and kind in UNSIGNED_SCALARS:
            text = f"{place}{self.rng.choice(['++', '--'])};"
        elif choice == 3 and own.type == "uint":
            self.uses("helper")
            text = f"put{self.kernel.name}({own.name}, {self.element(own)}, {self.value('uint')});"
            self.helper(f"void put{self.kernel.name}(__global uint *to, size_t at, uint value) {{\n  to[at] = value;\n}}\n")
        else:
            text = f"{place} = {self.value(kind)};"
        return self.leaders_only(own, text)

    def vector_store_fits(self, own):
        return own.type in SCALARS and own.per_item in (2, 3, 4) and not own.pitch and own.only is None

    def vector_store(self, own):
        if own.per_item == 3:
            self.uses("vector3")
        wide = ", ".join(self.value(own.type) for _ in range(own.per_item))
        return f"vstore{own.per_item}(({own.type}{own.per_item})({wide}), {own.form.text}, {own.name} + {own.base});"

    def leaders_only(self, own, text):
        return f"if ({self.local_linear()} == 0) {text}" if own.form.leaders else text

    def own_read(self):
        own = self.owned()
        if own.form.leaders:
            return self.declare()
        return self.bind("uint", self.as_uint(own, f"{own.name}[{self.element(own)}]"))

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
        if choice < 6:
            return self.helper_call()
        return self.bind("uint", self.whole(3))

    def private_array(self):
        self.uses("private_array")
        name, count = self.fresh("a"), self.rng.choice([3, 4, 8])
        first = ", ".join(self.whole(1) for _ in range(count))
        lines = [f"uint {name}[{count}] = {{{first}}};", f"{name}[{self.whole(1)} % {count}u] = {self.whole(1)};"]
        lines.append(self.bind("uint", f"{name}[{self.whole(1)} % {count}u] + {name}[{self.rng.randrange(count)}]"))
        return "\n".join(lines)

    def helper_call(self):
        self.uses("helper")
        name = self.fresh(f"mix{self.kernel.name}_")
        body = [f"  if {self.pure_condition()} return {self.pure()};"] if self.chance(40) else []
        body.append(f"  return {self.pure()};")
        inline = self.rng.choice(["", "", "static inline ", "static "])
        self.helper(f"{inline}uint {name}(uint a, uint b) {{\n" + "\n".join(body) + "\n}\n")
        return self.bind("uint", f"{name}({self.whole(1)}, {self.whole(1)})")

    def pure(self):
        """Of a helper's own parameters and geometry; it sees none of the kernel's arguments."""
        def part():
            return self.rng.choice(["a", "b", f"(uint){self.geometry()}", str(self.rng.randrange(1, 99)) + "u"])
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
        self.uses("loop")
        name, trips = self.fresh("i"), self.rng.choice([1, 2, 3, 4, 5, 9])
        short = not uniform and self.chance(30)
        bound = f"min({self.leaf()}, {trips}u)" if short else self.constant(trips)
        kind = "uint" if short else self.rng.choice(["uint", "int", "size_t", "uchar", "short", "long"])
        shape = self.rng.randrange(6)
        depth = len(self.scope)
        self.loops.append((name, trips))
        extra = ""
        if not uniform and self.chance(15):
            extra = f"if {self.condition(0)} {self.rng.choice(['break', 'continue'] if shape < 4 else ['break'])};\n"
        body = self.block(size, uniform)[2:]
        self.loops.pop()
        del self.scope[depth:]
        pragma = self.pragma() if self.chance(25) else ""
        if shape == 0:
            return f"{pragma}for ({kind} {name} = ({kind}){bound}; {name}-- > 0;) {{\n{extra}{body}"
        if shape == 1:
            return f"{pragma}for ({kind} {name} = 0, n{name} = ({kind}){bound}; {name} != n{name}; {name} += 1) {{\n{extra}{body}"
        if shape == 4:
            return f"{kind} {name} = 0;\n{pragma}while ({name} < ({kind}){bound}) {{\n{extra}{body[:-1]}++{name};\n}}"
        if shape == 5 and not short:
            return f"{kind} {name} = 0;\n{pragma}do {{\n{extra}{body[:-1]}}} while (++{name} < ({kind}){bound});"
        return f"{pragma}for ({kind} {name} = 0; {name} < ({kind}){bound}; ++{name}) {{\n{extra}{body}"

    def pragma(self):
        """What says how to unroll the next loop, mostly by a macro."""
        self.uses("pragma")
        count = self.rng.choice(["BY", "TIMES", "TIMES", "(BY * 2)", "2"])
        if count == "TIMES":
            count = self.fresh("U").upper() + "_"
            self.macros.append(f"#define {count} {self.rng.choice(['4', '(1 + 2)', 'BY', '(BY)'])}")
        if "U" in count or "BY" in count:
            self.uses("pragma_macro")
        return self.rng.choice([f"#pragma unroll {count}\n", f"#pragma unroll {count}\n", f"_Pragma(\"unroll {count}\")\n", "#pragma unroll\n"])

    def grid_stride(self):
        """Every work-item walks the buffer by the launch's size: it owns the elements congruent to its number."""
        self.uses("loop")
        self.uses("strided_write")
        kind, name = self.rng.choice(list(SCALARS)), self.fresh("i")
        count = self.rng.randrange(1, 3 * self.items + 2)
        own = self.anonymous(kind, count)
        step = " * ".join(f"get_global_size({d})" for d in range(self.dims))
        self.scope.append((name, "uint"))
        text = f"for (uint {name} = {self.linear()}; {name} < {self.constant(count)}; {name} += {step}) "
        text += f"{own.name}[{name}] = {self.value(kind)};"
        self.scope.pop()
        return text

    def switch(self, size):
        self.uses("divergent_control")
        self.uses("switch")
        cases = "".join(f"case {i}: {self.block(size)} {self.rng.choice(['break;', 'break;', ''])}\n" for i in range(self.rng.randrange(1, 4)))
        return f"switch ({self.whole(1)} % 5u) {{\n{cases}default: {self.block(0)}\n}}"

    def conditional(self, size, uniform):
        """Barriers may stand under a condition that all work-items answer alike."""
        if self.chance(35):
            self.uses("uniform_control")
            condition = self.uniform_condition()
        else:
            self.uses("divergent_control")
            condition, uniform = self.condition(), False
        text = f"if {condition} {self.block(size, uniform)}"
        return f"{text} else {self.block(size, uniform)}" if self.chance(40) else text

    def uniform_condition(self):
        sizes = ["get_global_size(0)", f"{self.constant(self.rng.randrange(99))}", "get_global_offset(0)"]
        if self.local_known:
            sizes += ["get_num_groups(0)", "get_local_size(0)", "get_group_id(0)", "get_group_id(0)"]
        return f"((uint)({self.rng.choice(sizes)}) % {self.rng.randrange(2, 5)}u != {self.constant(self.rng.randrange(2))})"

    # -- local memory; only where control is uniform

    def scratch(self, elements, kind="uint"):
        name = self.fresh("tile")
        if self.chance(60):
            self.locals.append(f"__local {kind} {name}[{elements}];")
            return name
        return self.add(role="local", type=kind, elements=elements).name

    def exchange(self):
        self.uses("local_memory")
        self.uses("barrier")
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

    # -- the whole

    def statement(self, size, uniform=False):
        choice = self.rng.randrange(100)
        if size > 0:
            if choice < 12:
                return self.loop(size, uniform)
            if choice < 22:
                return self.conditional(size, uniform)
            if choice < 25:
                return self.switch(size)
        if choice < 33 and uniform and self.barriers:
            return self.rng.choice([self.exchange, self.exchange, self.local_atomics])()
        if choice < 54:
            return self.declare()
        if choice < 58:
            return self.own_read()
        if choice < 62:
            return self.same_store()
        if choice < 65:
            return self.atomic() if self.oddity == "atomic" else self.grid_stride()
        if choice < 80:
            return self.idiom(uniform)
        return self.store()

    def body(self):
        lines = []
        if len(self.ranges) == 1 and self.chance(9):
            lines.append(self.turned_permutation())
        if not self.barriers and self.chance(20):
            self.uses("divergent_control")
            self.uses("early_return")
            lines.append(f"if {self.condition()} return;")
        lines += [self.statement(2, uniform=True) for _ in range(self.rng.randrange(2, 5))]
        if self.barriers and self.chance(50):
            lines.append(self.rng.choice([self.exchange, self.local_atomics, self.local_atomics])())
        last = {"": self.store, "atomic": self.atomic, "exchanged": self.exchanged, "used": self.used_atomic}[self.oddity]
        lines += [last(), self.store()]
        return lines

    def limit_tables(self):
        """As much __constant memory as every device has; the rest is read from global memory."""
        room = MOST_CONSTANT
        for parameter in self.having("table"):
            room -= parameter.elements * SIZES[parameter.type]
            if room < 0:
                parameter.role = "read"

    def write(self):
        if self.chance(20):
            self.add(role="settings", type="Settings")
        lines = self.body()
        self.limit_tables()
        kernel = self.kernel
        self.rng.shuffle(kernel.parameters)
        signature = ", ".join(declaration(p) for p in kernel.parameters)
        attribute = ""
        if self.local_known and self.chance(15):
            local = ", ".join(str(self.ranges[0].of("local", d)) for d in range(3))
            attribute = f"__attribute__((reqd_work_group_size({local}))) "
        kernel.text = "\n".join(self.macros) + "\n" + "\n".join(self.helpers)
        kernel.text += f"__kernel {attribute}void {kernel.name}({signature}) {{\n" + "\n".join(self.locals + lines) + "\n}\n"
        if not self.locals and not attribute and self.chance(8):
            self.wrap(signature)
        self.note_features()
        return kernel

    def wrap(self, signature):
        """A kernel that calls the kernel."""
        kernel = self.kernel
        inner, kernel.name = kernel.name, f"{kernel.name}_outer"
        kernel.declaration = f"extern __kernel void {inner}({signature});\n"
        kernel.outer = f"__kernel void {kernel.name}({signature}) {{\n{inner}({', '.join(p.name for p in kernel.parameters)});\n}}\n"

    def note_features(self):
        for made in self.ranges:
            self.uses(f"{made.dims}d")
            if any(made.offset):
                self.uses("offset")
            if any(made.size(d) % 2 and made.size(d) > 1 for d in range(made.dims)):
                self.uses("odd_size")
        if not self.local_known:
            self.uses("null_local")
        roles = {"settings": "struct", "table": "constant_memory", "local": "local_argument"}
        for parameter in self.kernel.parameters:
            if parameter.role in roles:
                self.uses(roles[parameter.role])
            if parameter.type == "Record":
                self.uses("struct")
            elif parameter.is_buffer:
                self.uses(base_of(parameter.type))
                if parameter.type in VECTORS:
                    self.uses(f"vector{VECTORS[parameter.type][1]}")


def declaration(parameter):
    if parameter.role == "settings":
        return f"Settings {parameter.name}"
    if parameter.role == "value":
        return f"{parameter.type} {parameter.name}"
    space = {"table": "__constant ", "local": "__local "}.get(parameter.role, "__global ")
    const = "const " if parameter.role in ("read", "permutation", "alias") else ""
    restrict = "restrict " if parameter.restrict else ""
    return f"{space}{const}{parameter.type} *{restrict}{parameter.name}"
