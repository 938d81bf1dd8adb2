#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random cases: a program, its buffers and a sequence of launches with host commands between them, as text that
random_cases carries out. The same seed gives the same case.

usage: cases.py SEED… writes SEED.case into the current folder
"""
import random
import struct
import sys
from dataclasses import dataclass

from kernels import SIZES, VECTORS, Range
from statements import KernelWriter, program_text

FORMATS = {"int": "<i", "uint": "<I", "ulong": "<Q", "long": "<q", "ushort": "<H", "short": "<h"}
PART_ALIGNMENT = 256
WRITING = ("own", "strided", "atomic")


@dataclass(eq=False)
class Slot:
    """Memory that launches are given: a buffer of its own or a part of one."""
    type: str
    elements: int = 1
    fixed: str = ""       # permutation: its contents never change; atomic: what is done to it
    number: int = -1
    parent: int = -1
    origin: int = 0

    @property
    def bytes(self):
        return self.elements * SIZES[self.type]


def random_range(rng, dims, given):
    most = {1: 1024, 2: 2048, 3: 2048}[dims]
    while True:
        local = [rng.choice([1, 2, 3, 4, 5, 8, 16, 32] if d == 0 else [1, 1, 2, 3, 4]) for d in range(dims)]
        groups = [rng.choice([1, 2, 3, 4, 5, 7, 8, 11, 16, 21] if dims == 1 or rng.random() < 0.5 else [1, 2, 3, 5]) for d in range(dims)]
        offset = [rng.randrange(12) for d in range(dims)] if rng.random() < 0.35 else [0] * dims
        made = Range(offset, groups, local, given)
        if 4 <= made.items <= most and made.group_items <= 64 and (made.group_total > 1 or rng.random() < 0.02):
            return made


def random_ranges(rng):
    dims, given = rng.choice([1, 1, 1, 2, 2, 3]), rng.random() < 0.88
    first = random_range(rng, dims, given)
    if rng.random() < 0.65:
        return [first]
    # The same local size: drivers compile a kernel again for each.
    second = random_range(rng, dims, given)
    return [first, Range(first.offset, second.groups, first.local, given)]


class CaseWriter:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.slots, self.commands = [], []
        self.last_write, self.last_reads = {}, {}  # by slot: numbers of commands
        self.queues = self.rng.choice([1, 1, 2, 3])

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def queue(self):
        return self.rng.randrange(self.queues)

    # -- binding of buffers to arguments

    def slot(self, parameter, taken):
        """A known slot that `taken` leaves, or a new one."""
        fixed = {"permutation": f"permutation {parameter.value}", "atomic": "atomic " + parameter.atomic[0] if parameter.atomic else ""}.get(parameter.role, "")
        fit = [s for s in self.slots if s.type == parameter.type and s.fixed == fixed and id(s) not in taken]
        if fit and (parameter.role == "permutation" or self.chance(70)):
            chosen = self.rng.choice(fit)
        else:
            chosen = Slot(parameter.type, fixed=fixed)
            self.slots.append(chosen)
        chosen.elements = max(chosen.elements, parameter.elements)
        return chosen

    def bind(self, kernel):
        bound, readers, writers = {}, set(), set()
        for parameter in kernel.parameters:
            if parameter.role in WRITING:
                partner = bound.get(parameter.partner) or next((bound[p.name] for p in kernel.parameters if p.partner == parameter.name and p.name in bound), None)
                bound[parameter.name] = partner or self.slot(parameter, readers | writers)
                writers.add(id(bound[parameter.name]))
        for parameter in kernel.parameters:
            if parameter.role == "alias":
                bound[parameter.name] = bound[parameter.partner]
            elif parameter.role in ("read", "table", "permutation"):
                bound[parameter.name] = self.slot(parameter, writers)
                readers.add(id(bound[parameter.name]))
        return bound

    def command(self, kind, facts, reads=(), writes=()):
        """Waits for exactly the earlier commands that it must not overtake: the rest may run at the same time."""
        waits = {self.last_write[id(s)] for s in (*reads, *writes) if id(s) in self.last_write}
        for slot in writes:
            waits.update(self.last_reads.pop(id(slot), ()))
        number = len(self.commands)
        for slot in writes:
            self.last_write[id(slot)] = number
        for slot in reads:
            self.last_reads.setdefault(id(slot), set()).add(number)
        self.commands.append(f"{kind} {self.queue()} {len(waits)} {' '.join(map(str, sorted(waits)))} {facts}")

    def launch(self, kernel):
        chosen, bound = self.rng.choice(kernel.ranges), self.bind(kernel)
        triples = [[chosen.of("offset", d) for d in range(3)], [chosen.size(d) for d in range(3)],
                   [chosen.of("local", d) if chosen.given else 0 for d in range(3)]]
        numbers = " ".join(str(n) for triple in triples for n in triple)
        written = [bound[p.name] for p in kernel.parameters if p.role in WRITING]

        def submit():
            arguments = "\n".join(self.argument(p, bound) for p in kernel.parameters)
            read = [s for s in bound.values() if s not in written]
            self.command("launch", f"{kernel.name} {chosen.dims} {numbers} {len(kernel.parameters)}\n{arguments}", read, written)
        return submit

    def argument(self, parameter, bound):
        if parameter.name in bound:
            return f"buffer {bound[parameter.name].number}"
        if parameter.role == "local":
            return f"local {parameter.elements * SIZES[parameter.type]}"
        if parameter.role == "settings":
            data = struct.pack("<ihxxIIQ", 77, -3, 5, 4000000000, 1 << 40)
        else:
            data = struct.pack(FORMATS[parameter.type], parameter.value)
        return f"value {len(data)} " + " ".join(str(b) for b in data)

    # -- host commands; made when all slots have their sizes

    def content(self, slot):
        seed = self.rng.randrange(1 << 32)
        if slot.fixed.startswith("permutation"):
            return f"permutation {seed} 0 4"
        base = VECTORS.get(slot.type, (slot.type, 1))[0]
        if base in ("float", "double"):
            return f"{base}s {seed} ffff {SIZES[base]}"
        size = SIZES[base]
        return f"bits {seed} {self.rng.choice(['ffffffffffffffff', 'ff', '1'])} {size}"

    def stretch(self, slot):
        """Some elements of a slot: first byte and count of bytes."""
        size = SIZES[slot.type]
        first = self.rng.randrange(slot.elements)
        count = self.rng.randrange(1, slot.elements - first + 1)
        return first * size, count * size

    def host_command(self):
        slot = self.rng.choice(self.slots)
        offset, size = self.stretch(slot)
        kind = self.rng.choice(["write", "write", "read", "read", "copy", "fill", "map"])
        if kind == "copy":
            others = [s for s in self.slots if s.type == slot.type and s is not slot and not s.fixed]
            if others:
                other = self.rng.choice(others)
                count = min(size, other.bytes)
                self.command("copy", f"{slot.number} {other.number} {offset} {other.bytes - count} {count}", [slot], [other])
                return
        if kind == "read" or slot.fixed.startswith("permutation") or kind == "copy":
            self.command("read", f"{slot.number} {offset} {size}", [slot])
        else:
            self.command(kind, f"{slot.number} {offset} {size} {self.content(slot)}", [], [slot])

    # -- the whole

    def place(self):
        """Numbers slots, some of them as parts of one buffer. Returns the lines that create them all."""
        roots, parts, count = [], [], 0
        free = [s for s in self.slots]
        self.rng.shuffle(free)
        sharing = []
        while len(free) >= 2 and self.chance(30):
            group = [s for s in (free.pop(), free.pop()) if not s.fixed]
            if len(group) == 2:
                sharing.append(group)
        for slot in [s for s in self.slots if not any(s in group for group in sharing)]:
            slot.number, count = count, count + 1
            late = self.chance(25) and not slot.fixed
            # What nobody ever writes stays undefined behind the slot, and is never looked at.
            slack = self.rng.choice([0, 0, 64, 4096]) if late else 0
            roots.append(f"buffer {slot.bytes + slack} {self.flags()} " + ("none 0 0 1" if late else self.content(slot)))
            if late:
                kind = self.rng.choice(["write", "fill"])
                self.command(kind, f"{slot.number} 0 {slot.bytes} {self.content(slot)}", [], [slot])
        for group in sharing:
            end = 0
            for slot in group:
                slot.parent, slot.origin = count, end
                end = -(-(end + slot.bytes) // PART_ALIGNMENT) * PART_ALIGNMENT
            count += 1
            roots.append(f"buffer {end} {self.flags()} bits 1 0 1")
        for slot in [s for group in sharing for s in group]:
            slot.number, count = count, count + 1
            parts.append(f"part {slot.parent} {slot.origin} {slot.bytes}")
            self.command("write", f"{slot.number} 0 {slot.bytes} {self.content(slot)}", [], [slot])
        return roots + parts

    def flags(self):
        return "use_host" if self.chance(10) else "plain"

    def write(self):
        oddities = self.chance(20)
        kernels = [KernelWriter(self.rng, f"k{i}", random_ranges(self.rng), oddities).write() for i in range(self.rng.choice([1, 1, 2, 2, 3]))]
        source = program_text(kernels)
        launches = [self.launch(self.rng.choice(kernels)) for _ in range(self.rng.randrange(2, 7))]
        lines = [f"source {len(source.encode())}\n{source}"] + self.place()
        for launch in launches:
            launch()
            while self.chance(35):
                self.host_command()
        self.rng.shuffle(self.slots)
        for slot in self.slots:
            self.command("read", f"{slot.number} 0 {slot.bytes}", [slot])
        return "\n".join(lines + self.commands) + "\n"


def make_case(seed):
    return CaseWriter(seed).write()


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        with open(f"{argument}.case", "w", encoding="utf-8") as file:
            file.write(make_case(int(argument)))
