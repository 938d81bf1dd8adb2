# SPDX-License-Identifier: Apache-2.0
"""Statements by which several work-items touch one element and which have one right answer all the same: atomics that commute, atomics
whose results lead to the same bytes in any order, and plain stores of the same value to the same place."""
from model import SIZES, power_above

COMMUTING = [("add", "sub", "inc", "dec"), ("min",), ("max",), ("and",), ("or",), ("xor",)]
ATOMIC_TYPES = ["uint", "uint", "int", "int", "ulong", "long"]


class Shared:
    """Mixed into KernelWriter."""

    def atomic_call(self, operation, kind, place, value):
        """The 64-bit functions and the older names of the 32-bit ones begin with atom_; those know no float."""
        self.uses(f"atomic_{operation}")
        if SIZES[kind] == 8:
            self.uses("atomic64")
        old = self.chance(10) and kind != "float"
        prefix = "atom" if SIZES[kind] == 8 or old else "atomic"
        return f"{prefix}_{operation}(&{place}" + ("" if operation in ("inc", "dec") else f", {value}") + ")"

    # -- global memory, result unused

    def atomic(self):
        self.uses("atomic")
        targets = self.having("atomic")
        if not targets or self.chance(30):
            kind = self.rng.choice(ATOMIC_TYPES)
            target = self.add(role="atomic", type=kind, elements=self.rng.choice([1, 8, 37, 256]), atomic=self.rng.choice(COMMUTING))
        else:
            target = self.rng.choice(targets)
        operation = self.rng.choice(target.atomic)
        place = f"{target.name}[{self.whole(1)} % {target.elements}u]"
        call = self.atomic_call(operation, target.type, place, self.value(target.type)) + ";"
        return f"if {self.condition()} {call}" if self.chance(25) else call

    def exchanged(self):
        """xchg and cmpxchg of what depends on the place alone."""
        self.uses("atomic")
        self.uses("atomic_exchange")
        kind = self.rng.choice([*ATOMIC_TYPES, "float"])
        target, at, value = self.anybodys(kind)
        if kind == "float" or self.chance(50):
            return f"{at}\n{self.atomic_call('xchg', kind, target, value)};"
        return f"{at}\n{self.atomic_call('cmpxchg', kind, target, f'({kind}){self.rng.randrange(3)}, {value}')};"

    # -- global memory, result used

    def used_atomic(self):
        self.uses("atomic_used")
        return self.rng.choice([self.used_on_own, self.used_on_own, self.slots, self.counted])()

    def used_on_own(self):
        own = self.single_own(self.rng.choice(ATOMIC_TYPES))
        place = f"{own.name}[{own.form.text}]"
        operation = self.rng.choice(["add", "sub", "inc", "dec", "min", "max", "and", "or", "xor", "xchg", "cmpxchg"])
        if operation == "cmpxchg":
            return self.bind("uint", f"(uint){self.atomic_call(operation, own.type, place, f'({own.type})1, {self.value(own.type)}')}")
        return self.bind("uint", f"(uint){self.atomic_call(operation, own.type, place, self.value(own.type))}")

    def counter(self):
        return self.add(role="atomic", type="uint", elements=1, atomic=COMMUTING[0])

    def slots(self):
        """Work-items take numbered places, each leaves the same there."""
        counter, bound = self.counter(), power_above(self.rng.randrange(4, 300))
        taken = self.add(role="same", type="uint", elements=bound)
        slot = self.fresh("slot")
        body = f"uint {slot} = atomic_inc(&{counter.name}[0]);\n{taken.name}[{slot} & {bound - 1}u] = {self.constant(self.rng.randrange(1 << 16))};"
        return f"if {self.condition()} {{\n{body}\n}}" if self.chance(60) else body

    def counted(self):
        """What is done depends on the result, how often it is done does not."""
        counter, other = self.counter(), self.counter()
        return f"if ((atomic_add(&{counter.name}[0], 1u) & 3u) == {self.rng.randrange(4)}u) atomic_add(&{other.name}[0], {self.constant(self.rng.randrange(1, 99))});"

    # -- plain stores, all of the same value

    def anybodys(self, kind):
        """An element that every work-item may write, as (place, statement before, value): the value is a function of the place."""
        at = self.fresh("at")
        text, bound = self.bounded(self.rng.choice([4, 300, 4 * self.items]))
        target = self.add(role="same", type=kind, elements=bound)
        value = f"{at} * {self.constant(self.rng.randrange(1 << 12))} + {self.constant(self.rng.randrange(1 << 12))}"
        value = f"({kind})(({value}) & 0xffffu)" if kind in ("float", "double") else f"({kind})({value})"
        return f"{target.name}[{at}]", f"uint {at} = (uint)({text});", value

    def same_store(self):
        self.uses("same_value_race")
        place, at, value = self.anybodys(self.rng.choice(["uchar", "ushort", "uint", "ulong", "char", "int", "float"]))
        guard = f"if {self.condition()} " if self.chance(50) else ""
        return f"{at}\n{guard}{place} = {value};"

    # -- local memory; only where control is uniform

    def local_atomics(self):
        """Several work-items meet in each element; what comes out does not tell their order."""
        self.uses("atomic_local")
        self.uses("local_memory")
        self.uses("barrier")
        kind = self.rng.choice(["uint", "int"])
        tile, me, operations = self.scratch(8, kind), self.local_linear(), self.rng.choice(COMMUTING)
        place = f"{tile}[{self.whole(1)} & 7u]"
        lines = [f"if ({me} == 0) for (int z = 0; z < 8; ++z) {tile}[z] = {self.rng.choice(['0', 'z', '-1', '77'])};", "barrier(CLK_LOCAL_MEM_FENCE);"]
        lines += [self.atomic_call(self.rng.choice(operations), kind, place, self.value(kind)) + ";" for _ in range(self.rng.randrange(1, 3))]
        return "\n".join(lines + ["barrier(CLK_LOCAL_MEM_FENCE);", self.bind("uint", f"(uint){tile}[{me} & 7]"), "barrier(CLK_LOCAL_MEM_FENCE);"])
