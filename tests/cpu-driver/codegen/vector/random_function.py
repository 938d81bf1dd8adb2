# SPDX-License-Identifier: Apache-2.0
"""Item functions in masked form, made from a seed: what random_masked.py tests by."""
from random_numbers import FLOATS, INTS, ITEMS, Numbers, OUTPUT, SIZE, SLOTS, TABLE

BYTE = "i8"


class Function(Numbers):
    """Writes one function: its accesses, its loops and conditions, and the two texts."""

    def group_places(self, kind, count, base, space_from, more=0):
        """A function from part to address: of a structure that is next to the neighbour's, somewhere, or at a number that is extended."""
        how = self.rng.randrange(5) if space_from == "table" else self.rng.choice([0, 1, 3])
        parts = {}
        if how == 3:  # numbers of 32 bits, to which the part is added before they are extended
            narrow = self.emit("trunc nuw nsw i64 %id to i32")
            narrow = self.emit(f"mul nuw nsw i32 {narrow}, {count}")
            for part in range(count):
                add = f"or disjoint i32 {narrow}, {part}" if count in (2, 4) and self.rng.random() < 0.5 else \
                    f"add {self.rng.choice(['nsw', 'nuw', 'nuw nsw', ''])} i32 {narrow}, {part}"
                wide = self.emit(f"{self.rng.choice(['sext', 'zext', 'zext nneg'])} i32 {self.emit(add)} to i64")
                parts[part] = self.emit(f"add i64 {wide}, {more}")
        else:
            number = "%id"
            if how == 1:
                number = self.emit("xor i64 %id, 5")
            elif how == 2:
                number = self.emit(f"and i64 {self.emit('mul i64 %id, 77')}, 511")
            elif how == 4:  # may wrap
                number = self.emit(f"add i64 {self.emit(f'sext i8 {self.linear(BYTE)} to i64')}, 128")
            number = self.emit(f"add i64 {self.emit(f'mul i64 {number}, {count}')}, {more}")
            if how == 0 and self.rng.random() < 0.3:
                number = self.emit(f"ashr exact i64 {self.emit(f'shl i64 {number}, 32')}, 32")
            start = self.emit(f"getelementptr {kind}, ptr addrspace(1) {base}, i64 {number}", "p")
            return lambda part: self.emit(f"getelementptr {kind}, ptr addrspace(1) {start}, i64 {part}", "p")
        return lambda part: self.emit(f"getelementptr {kind}, ptr addrspace(1) {base}, i64 {parts[part]}", "p")

    def same_steps(self, kind, values):
        """The same arithmetic on each member."""
        for _ in range(self.rng.randrange(3)):
            if kind in FLOATS:
                step = self.rng.choice(["fadd", "fmul", "fsub"])
                others = [self.rng.choice(["1.5", "-2.0", "0.25"]) for _ in values]
            else:
                step = self.rng.choice(["add", "mul", "xor", "sub"])
                others = [str(self.rng.randrange(-100, 100)) for _ in values]
            same = self.rng.random() < 0.2
            values = [self.emit(f"{step} {kind} {value}, {values[0] if same else other}")
                      for value, other in zip(values, others)]
        return values

    def group(self):
        """The parts of structures of 2 to 4 elements, as OpenCL's vectors taken apart are: read, and written elsewhere."""
        kind, count = self.rng.choice(INTS + FLOATS), self.rng.choice([2, 3, 4])
        place = self.group_places(kind, count, f"%table.{kind}.1", "table")
        order = self.rng.sample(range(count), count)
        if self.rng.random() < 0.2:
            order = order[1:]
        mask, got, raw = self.mask, [], {}
        for part in order:
            raw[part] = value = self.emit(
                f"call {kind} @skmd.load.{kind}.p1(ptr addrspace(1) align {SIZE[kind]} {place(part)}, i1 {mask})")
            got.append(self.add(kind, self.emit(f"select i1 {mask}, {kind} {value}, {kind} "
                                                f"{'1.0' if kind in FLOATS else '1'}")))
        if self.stores == SLOTS:
            return
        at = self.stores * OUTPUT * ITEMS // SIZE[kind]
        self.stores += 1
        place = self.group_places(kind, count, "%out", "out", at)
        given = [self.rng.choice(got) for _ in range(count)]
        if len(raw) == count and self.rng.random() < 0.6:
            given = self.same_steps(kind, [raw[part] for part in range(count)])
        for part in self.rng.sample(range(count), count):
            self.lines.append(f"  call void @skmd.store.{kind}.p1({kind} {given[part]}, ptr addrspace(1) align {SIZE[kind]} "
                              f"{place(part)}, i1 {mask})")

    def load(self):
        kind = self.rng.choice(INTS + FLOATS)
        space = self.rng.choice([1, 3])
        table = f"%table.{kind}.{space}"
        address = self.emit(f"getelementptr {kind}, ptr addrspace({space}) {table}, i64 {self.index()}", "p")
        self.add(kind, self.emit(f"call {kind} @skmd.load.{kind}.p{space}(ptr addrspace({space}) align {SIZE[kind]} "
                                 f"{address}, i1 {self.mask})"))
        # In lanes that do not run, a load gives poison, which must not spread to lanes that do.
        self.pool[kind][-1] = self.emit(f"select i1 {self.mask}, {kind} {self.pool[kind][-1]}, {kind} "
                                        f"{'1.0' if kind in FLOATS else '1'}")

    def store(self):
        if self.stores == SLOTS:
            return
        kind = self.rng.choice(INTS + FLOATS)
        value = self.value(kind)
        if kind in FLOATS:
            ordered = self.emit(f"fcmp ord {kind} {value}, {value}")
            value = self.emit(f"select i1 {ordered}, {kind} {value}, {kind} 7.0")
        # Slots are apart; within one, items are next to each other, strided, backwards or permuted.
        at = self.stores * OUTPUT * ITEMS // SIZE[kind]
        self.stores += 1
        how = self.rng.randrange(5)
        item = "%id"
        if how == 1:
            item = self.emit(f"mul i64 %id, {self.rng.choice([2, 3, 4, 5])}")
        elif how == 2:
            item = self.emit("sub i64 %last, %id")
        elif how == 3:
            item = self.emit("xor i64 %id, 5")
        elif how == 4:
            narrow = self.emit("trunc i64 %id to i32")
            item = self.emit(f"zext i32 {narrow} to i64")
        index = self.emit(f"add i64 {item}, {at}")
        address = self.emit(f"getelementptr {kind}, ptr addrspace(1) %out, i64 {index}", "p")
        self.lines.append(f"  call void @skmd.store.{kind}.p1({kind} {value}, ptr addrspace(1) align {SIZE[kind]} "
                          f"{address}, i1 {self.mask})")

    def each(self):
        kind = self.rng.choice(["i32", "i64", "float"])
        number = f"{self.number}{len(self.eaches)}"
        self.eaches.append((number, kind))
        word = "fadd" if kind == "float" else "xor"
        slot = self.emit(f"getelementptr i8, ptr addrspace(1) %log, i64 {len(self.eaches) * 4096}", "p")
        place = self.emit("mul i64 %id, 8")
        slot = self.emit(f"getelementptr i8, ptr addrspace(1) {slot}, i64 {place}", "p")
        value = self.value(kind)
        if kind == "float":
            ordered = self.emit(f"fcmp ord float {value}, {value}")
            value = self.emit(f"select i1 {ordered}, float {value}, float 7.0")
        call = f"(ptr addrspace(1) {slot}, {kind} {value}, i1 {self.value('i1')}"
        got = self.emit(f"call {kind} {{@skmd.each.{number}{call}) [ \"skmd.mask\"(i1 {self.mask}) ]"
                        f"|@ref.each.{number}{call}, i1 {self.mask})}}")
        self.add(kind, self.emit(f"select i1 {self.mask}, {kind} {got}, {kind} {'1.0' if kind == 'float' else '1'}"))
        self.eaches[-1] = (number, kind, word)

    def private(self):
        kind = self.rng.choice(["i32", "float", "i16", "i64"])
        array = self.name("array")
        self.entry.append(f"  {array} = alloca [8 x {kind}]")
        other = self.rng.random() < 0.3  # a second type: copies one after the other
        start = "0.0" if kind == "float" else "0"
        for element in range(8):
            address = self.emit(f"getelementptr [8 x {kind}], ptr {array}, i64 0, i64 {element}", "p")
            self.lines.append(f"  store {kind} {start}, ptr {address}")
        if other:
            self.lines.append(f"  store i8 1, ptr {array}")
        for _ in range(self.rng.randrange(1, 5)):
            index = self.emit(f"and i64 {self.rng.choice(['%uniform', self.index()])}, 7")
            address = self.emit(f"getelementptr [8 x {kind}], ptr {array}, i64 0, i64 {index}", "p")
            value = self.value(kind)
            if self.rng.random() < 0.5:
                self.lines.append(f"  store {kind} {value}, ptr {address}")
            else:
                self.lines.append(f"  call void @skmd.store.{kind}.p0({kind} {value}, ptr align {SIZE[kind]} "
                                  f"{address}, i1 {self.value('i1')})")
        index = self.emit(f"and i64 {self.rng.choice(['%uniform', self.index()])}, 7")
        address = self.emit(f"getelementptr [8 x {kind}], ptr {array}, i64 0, i64 {index}", "p")
        self.add(kind, self.emit(f"load {kind}, ptr {address}"))

    def loop(self, depth):
        """A loop with a uniform number of rounds; some of its values go round."""
        self.count += 1
        head, behind = f"head{self.count}", f"behind{self.count}"
        carried = [(kind, self.value(kind), self.name("phi")) for kind in self.rng.sample(INTS + FLOATS, 2)]
        counter, rounds = self.name("round"), self.rng.randrange(1, 5)
        before = self.block
        self.lines.append(f"  br label %{head}")
        self.start(head)
        mark = len(self.lines)
        saved = {kind: list(values) for kind, values in self.pool.items()}
        for kind, _, phi in carried:
            self.add(kind, phi)
        at, stride = self.name("walk"), self.rng.choice([1, 16, 3])
        self.add("i64", at)
        self.body(self.rng.randrange(2, 7), depth + 1)
        following = [self.value(kind) for kind, _, _ in carried]
        next_at = self.emit(f"add i64 {at}, {stride}")
        # Its address steps with the round and the lane.
        place = self.emit(f"and i64 {self.rng.choice([at, '%uniform'])}, {TABLE - 1}")
        del place
        next_round = self.emit(f"add i64 {counter}, 1")
        more = self.emit(f"icmp ult i64 {next_round}, {rounds}")
        self.lines.append(f"  br i1 {more}, label %{head}, label %{behind}")
        phis = [f"  {counter} = phi i64 [ 0, %{before} ], [ {next_round}, %{self.block} ]",
                f"  {at} = phi i64 [ %id, %{before} ], [ {next_at}, %{self.block} ]"]
        phis += [f"  {phi} = phi {kind} [ {first}, %{before} ], [ {last}, %{self.block} ]"
                 for (kind, first, phi), last in zip(carried, following)]
        self.lines[mark:mark] = phis
        self.pool = saved
        self.start(behind)
        for (kind, _, _), last in zip(carried, following):
            self.add(kind, last)

    def guarded(self, depth):
        """A part that some lanes run, skipped if none does; or one under a uniform condition."""
        uniform = self.rng.random() < 0.3
        if uniform:
            condition = self.emit(f"icmp {self.rng.choice(['eq', 'ne'])} i32 %u32, 3")
            mask = self.mask
        else:
            mask = self.emit(f"select i1 {self.mask}, i1 {self.value('i1')}, i1 false", "m")
            condition = self.emit(f"call i1 @skmd.any(i1 {mask})")
        self.count += 1
        inside, behind, before = f"in{self.count}", f"out{self.count}", self.block
        self.lines.append(f"  br i1 {condition}, label %{inside}, label %{behind}")
        outer, saved = self.mask, {kind: list(values) for kind, values in self.pool.items()}
        kind = self.rng.choice(INTS + FLOATS)
        default = self.value(kind)
        self.mask = mask
        self.start(inside)
        self.body(self.rng.randrange(2, 7), depth + 1)
        changed, ends = self.value(kind), self.block
        self.lines.append(f"  br label %{behind}")
        self.pool, self.mask = saved, outer
        self.start(behind)
        joined = self.emit(f"phi {kind} [ {default}, %{before} ], [ {changed}, %{ends} ]")
        if not uniform:
            joined = self.emit(f"select i1 {mask}, {kind} {joined}, {kind} {default}")
        self.add(kind, joined)

    def body(self, steps, depth):
        for _ in range(steps):
            choices = [self.load] * 4 + [self.arithmetic] * 4 + [self.cast, self.compare, self.select, self.intrinsic]
            choices += [self.group] + [self.store] * 2 + [self.each] + [self.private]
            if depth < 2:
                choices += [lambda: self.loop(depth), lambda: self.guarded(depth)]
            self.rng.choice(choices)()

    def text(self):
        self.body(self.rng.randrange(6, 16), 0)
        while self.stores < 4:
            self.store()
        tables = ", ".join(f"ptr addrspace({space}) %table.{kind}.{space}" for kind in INTS + FLOATS
                           for space in (1, 3))
        lane = 'range(i64 0, 100000) ' if self.rng.random() < 0.5 else ""
        code = "\n".join(["entry:"] + self.entry + self.lines)
        texts = []
        for masked in (True, False):
            body, rest = "", code
            while "{" in rest:
                head, _, rest = rest.partition("{")
                choice, _, rest = rest.partition("}")
                body += head + choice.split("|")[0 if masked else 1]
            body += rest
            attributes = '"skmd-masked"' if masked else ""
            name = f"f{self.number}" if masked else f"ref{self.number}"
            live = '"skmd-live"' if masked else ""
            lane_attribute = '"skmd-lane"' if masked else ""
            texts.append(f"define internal void @{name}({tables}, ptr addrspace(1) %out, ptr addrspace(1) %log, "
                         f"i64 %uniform, i32 %u32, i64 %last, i64 {lane}{lane_attribute} %id, i1 {live} %live) {attributes} {{\n"
                         f"{body}\n  ret void\n}}\n")
        return "".join(texts)

    def each_text(self):
        text = ""
        for number, kind, word in self.eaches:
            text += f"""
define internal {kind} @skmd.each.{number}(ptr addrspace(1) %p, {kind} %v, i1 %c) {{
  %old = load {kind}, ptr addrspace(1) %p
  %new = {word} {kind} %old, %v
  %kept = select i1 %c, {kind} %new, {kind} %v
  store {kind} %kept, ptr addrspace(1) %p
  ret {kind} %old
}}
define internal {kind} @ref.each.{number}(ptr addrspace(1) %p, {kind} %v, i1 %c, i1 %m) {{
  br i1 %m, label %yes, label %no
yes:
  %r = call {kind} @skmd.each.{number}(ptr addrspace(1) %p, {kind} %v, i1 %c)
  ret {kind} %r
no:
  ret {kind} zeroinitializer
}}
"""
        return text
