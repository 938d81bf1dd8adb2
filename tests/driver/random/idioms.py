# SPDX-License-Identifier: Apache-2.0
"""Statements that real kernels are made of and single loads and stores are not: pointers that walk, casts, builtins that take
pointers, groups that work on blocks of their own, neighbours that meet at a barrier."""
from kernels import Writer
from model import SCALARS, UNSIGNED, Form, power_above


class Idioms(Writer):
    """Mixed into the writer of statements; `barriers` and the rest come from there."""

    def single_own(self, kind, per_item=1, grouped=False):
        """An argument that nothing else in this kernel uses, `per_item` elements beside each other."""
        form = self.grouped_form() if grouped else self.form()
        while form.leaders:
            form = self.form()
        if per_item > 1:
            self.uses("strided_write")
        return self.add(role="single", type=kind, elements=form.limit * per_item, form=form, per_item=per_item)

    def anonymous(self, kind, elements):
        return self.add(role="single", type=kind, elements=elements)

    def walking_pointer(self):
        self.uses("loop")
        kind, steps = self.rng.choice(["uint", "uchar", "ulong", "ushort"]), self.rng.choice([2, 3, 4])
        own, pointer, counter = self.single_own(kind, steps), self.fresh("p"), self.fresh("i")
        lines = [f"__global {kind} *{pointer} = {own.name} + {own.form.text} * {steps};"]
        shape = self.rng.randrange(4)
        if shape == 0:
            lines.append(f"for (int {counter} = 0; {counter} < {steps}; ++{counter}) *{pointer}++ = {self.value(kind)};")
        elif shape == 1:
            lines.append(f"{pointer} += {steps - 1};\nfor (int {counter} = 0; {counter} < (int)({self.whole(1)} % {steps + 1}u); ++{counter}) *{pointer}-- = {self.value(kind)};")
        elif shape == 2:
            lines.append(f"if {self.condition()} {pointer} += {self.rng.randrange(steps)};\n*{pointer} = {self.value(kind)};")
        else:
            lines.append(f"for (__global {kind} *e{pointer} = {pointer} + {self.constant(steps)}; {pointer} < e{pointer}; {pointer} += 2) "
                         f"{pointer}[0] {self.rng.choice(['=', '+=', '^='])} {self.value(kind)};")
        return "\n".join(lines)

    def chosen_pointer(self):
        """One of two buffers by a condition, read or written."""
        pointer = self.fresh("p")
        if self.chance(50):
            a, b = (self.add(role="read", type="uint", elements=self.items + 3) for _ in range(2))
            lines = [f"__global const uint *{pointer} = {self.condition()} ? {a.name} : {b.name} + {self.rng.randrange(4)};"]
            return "\n".join(lines + [self.bind("uint", f"{pointer}[{self.linear()}]")])
        a, b = self.single_own("uint"), self.anonymous("uint", 1)
        b.need(a.elements)
        return f"__global uint *{pointer} = {self.condition()} ? {a.name} : {b.name};\n{pointer}[{a.form.text}] = {self.value('uint')};"

    def other_type(self):
        """The elements as their bytes, or as wider ones."""
        if self.chance(50):
            own = self.single_own("uint")
            return f"((__global uchar *){own.name})[({own.form.text}) * 4 + {self.rng.randrange(4)}] = {self.value('uchar')};"
        if self.chance(50):
            own = self.single_own("ushort", 4)
            return f"((__global ulong *){own.name})[{own.form.text}] = {self.value('ulong')};"
        read = self.add(role="read", type="uchar", elements=self.items * 4)
        return self.bind("uint", f"((__global const uint *){read.name})[{self.linear()}]")

    def alias(self):
        """One buffer as two arguments, in and out."""
        self.uses("alias")
        kind = self.rng.choice(["uint", "ushort", "ulong", "float", "uchar4"])
        own = self.single_own(kind, self.rng.choice([1, 2]))
        same = self.add(role="alias", type=kind, elements=own.elements, partner=own.name)
        place = f"{own.form.text} * {own.per_item} + {self.rng.randrange(own.per_item)}"
        store = f"{own.name}[{place}] = {self.value(kind)};"
        read = self.bind("uint", self.as_uint(same, f"{same.name}[{place}]"))
        return "\n".join([store, read] if self.chance(40) else [read, store, f"{own.name}[{place}] {'+=' if kind in UNSIGNED.values() else '='} {self.value(kind)};"])

    def half(self):
        self.uses("half")
        own = self.single_own("ushort", 2)
        function = self.rng.choice(["vstore_half", "vstore_half2"])
        value = f"(float)({self.whole(1)} & 1023u)"
        if function == "vstore_half":
            return f"vstore_half({value}, ({own.form.text}) * 2 + {self.rng.randrange(2)}, (__global half *){own.name});"
        return f"vstore_half2((float2)({value}, {value}), {own.form.text}, (__global half *){own.name});"

    def out_pointer(self):
        """Builtins that give their second result through a pointer."""
        if self.chance(50):
            own = self.single_own("int")
            return self.bind("uint", f"(uint)(frexp((float)({self.whole(1)} & 4095u), &{own.name}[{own.form.text}]) * 65536.0f)")
        own = self.single_own("float")
        return self.bind("uint", f"(uint)(modf((float)({self.whole(1)} & 4095u) * 0.25f, &{own.name}[{own.form.text}]) * 4.0f)")

    def odd_map(self):
        """Injective maps by division, bits and 24-bit products."""
        choice, items = self.rng.randrange(6), self.items
        kind = self.rng.choice(list(SCALARS))
        width = self.rng.choice([2, 3, 4, 8, 10, 16])
        line = f"(uint){self.bind_now(self.linear())}"
        columns = -(-items // width)
        if choice == 0:
            pitch = width + self.rng.randrange(4)
            text, limit = f"{line} / {self.constant(width)} * {self.constant(pitch)} + {line} % {self.constant(width)}", (columns + 1) * pitch
        elif choice == 1:
            text, limit = f"{line} % {self.constant(width)} * {self.constant(columns)} + {line} / {self.constant(width)}", width * columns
        elif choice == 2:
            rest = power_above(-(-items // 8))
            text, limit = f"({line} >> 3) | (({line} & 7u) << {rest.bit_length() - 1})", rest * 8
        elif choice == 3:
            text, limit = f"mad24({line}, 2u, {line} & 1u)", 2 * items
        elif choice == 4:
            wide = max(r.size(0) + r.of("offset", 0) for r in self.ranges)
            text = f"mul24((int)get_global_id(1), (int){self.constant(wide, 'int')}) + (int)get_global_id(0)"
            limit = wide * self.limit(1)
            if self.dims == 3:
                text, limit = f"({text}) + (int)get_global_id(2) * {limit}", limit * self.limit(2)
        else:
            text, limit = f"add_sat({line}, {self.constant(width)}) * 2u - {line}", items + 2 * width
        own = self.anonymous(kind, limit + 1)
        return f"{self.pending}{own.name}[{text}] = {self.value(kind)};"

    def bind_now(self, text):
        name = self.fresh("id")
        self.pending = f"{self.rng.choice(['uint', 'int', 'size_t', 'const uint'])} {name} = {text};\n"
        return name

    # -- groups

    def group_block(self):
        """Each group owns a block, its work-items walk it."""
        self.uses("loop")
        block, kind, counter = self.rng.randrange(1, 70), self.rng.choice(list(SCALARS)), self.fresh("i")
        groups = max(r.group_total for r in self.ranges)
        own = self.anonymous(kind, groups * block)
        size = self.constant(block)
        self.scope.append((counter, "uint"))
        text = (f"for (uint {counter} = {self.local_linear()}; {counter} < {size}; {counter} += {self.local_total()}) "
                f"{own.name}[{self.group_linear()} * {size} + {counter}] = {self.value(kind)};")
        self.scope.pop()
        return text

    def one_group(self):
        self.uses("uniform_control")
        own = self.single_own("uint", grouped=True)
        return f"if (get_group_id(0) {self.rng.choice(['==', '>', '<'])} {self.rng.randrange(4)}) {own.name}[{own.form.text}] {self.rng.choice(['=', '+='])} {self.value('uint')};"

    def neighbours(self):
        """Through global memory, inside the group."""
        self.uses("barrier")
        own = self.single_own("uint", grouped=True)
        start = f"{self.group_linear()} * {self.local_total()}"
        return "\n".join([f"{own.name}[{own.form.text}] = {self.value('uint')};", "barrier(CLK_GLOBAL_MEM_FENCE);",
                          self.bind("uint", f"{own.name}[{start} + ({self.local_linear()} + {self.rng.randrange(1, 5)}) % {self.local_total()}]"),
                          "barrier(CLK_GLOBAL_MEM_FENCE);"])

    def copies(self):
        """async_work_group_copy in, and out or out with a stride."""
        self.uses("local_memory")
        self.uses("barrier")
        tile, event, count = self.fresh("tile"), self.fresh("e"), self.local_total()
        self.locals.append(f"__local uint {tile}[{self.max_local}];")
        read = self.add(role="read", type="uint", elements=self.items + 8)
        own = self.anonymous("uint", self.items * 3)
        block, me = f"{self.group_linear()} * {count}", self.local_linear()
        lines = [f"event_t {event} = async_work_group_copy({tile}, {read.name} + {block} + {self.rng.randrange(9)}, {count}, 0);",
                 f"wait_group_events(1, &{event});", f"{tile}[{me}] {self.rng.choice(['+=', '^='])} {self.whole(1)};", "barrier(CLK_LOCAL_MEM_FENCE);"]
        if self.chance(60):
            lines.append(f"{event} = async_work_group_copy({own.name} + {block}, {tile}, {count}, 0);")
        else:
            stride = self.rng.choice([2, 3])
            lines.append(f"{event} = async_work_group_strided_copy({own.name} + {block} * {stride}, {tile}, {count}, {self.constant(stride)}, 0);")
        return "\n".join(lines + [f"wait_group_events(1, &{event});", "barrier(CLK_LOCAL_MEM_FENCE);"])

    # -- loops with an index that is carried

    def carried(self):
        self.uses("loop")
        read, index, counter = self.add(role="read", type=self.rng.choice(["uint", "ushort", "uchar4"]), elements=1), self.fresh("at"), self.fresh("i")
        total, steps = self.fresh("t"), self.rng.choice([2, 4, 7])
        shape = self.rng.randrange(4)
        if shape == 0:
            read.need(self.items + steps * 5)
            loop = f"uint {index} = {self.linear()};\nfor (int {counter} = 0; {counter} < {steps}; ++{counter}, {index} += {self.constant(5)})"
        elif shape == 1:
            read.need(1024)
            loop = f"uint {index} = 1;\nfor (int {counter} = 0; {counter} < {steps}; ++{counter}, {index} = ({index} * 3 + {self.whole(1)}) & 1023u)"
        elif shape == 2:
            read.need(max(64, self.items))
            loop = f"uint {index} = 0;\nfor (uint {counter} = 1; {counter} < {self.constant(64)}; {counter} <<= 1, {index} = {counter} - 1)"
        else:
            read.need(self.items + 2)
            loop = f"uint {index} = {self.linear()};\nfor (int {counter} = 0; {index} > 0 && {counter} < {steps}; ++{counter}, {index} >>= 1)"
        lines = [f"uint {total} = 0;", f"{loop} {total} += {self.as_uint(read, f'{read.name}[{index}]')};"]
        self.scope.append((total, "uint"))
        return "\n".join(lines)

    def triangle(self):
        self.uses("loop")
        own = self.single_own("uint", 6)
        row, column = self.fresh("i"), self.fresh("j")
        return (f"for (int {row} = 0; {row} < 3; ++{row}) for (int {column} = 0; {column} <= {row}; ++{column}) "
                f"{own.name}[({own.form.text}) * 6 + {row} * ({row} + 1) / 2 + {column}] = {self.value('uint')};")

    def turned_permutation(self):
        """Addresses that bytes decide which this launch overwrites: each work-item turns its entry round, so that a permutation remains.
        All work-items have to come here."""
        self.uses("indirect")
        self.uses("scattered_write")
        count, entry = self.items, self.fresh("entry")
        perm = self.add(role="turning", type="uint", elements=count, value=count)
        own = self.add(role="own", type=self.element_type(), elements=count, form=Form(entry, count))
        return f"uint {entry} = {perm.name}[{self.linear()}];\n{perm.name}[{self.linear()}] = {count - 1}u - {entry};\n{self.written(own)}"

    def idiom(self, uniform):
        choices = [self.walking_pointer, self.chosen_pointer, self.other_type, self.alias, self.half, self.half, self.out_pointer, self.odd_map,
                   self.odd_map, self.carried, self.carried, self.triangle]
        if self.local_known:
            choices += [self.group_block, self.one_group]
            if uniform and self.barriers:
                choices += [self.neighbours, self.copies] * 3
        return self.rng.choice(choices)()
