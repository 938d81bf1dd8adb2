#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random cases: a program of some kernels, its buffers and a sequence of launches with host commands between them. The same seed
gives the same case.

usage: cases.py SEED… writes SEED.case into the current folder
"""
import random
import struct
import sys
from dataclasses import dataclass, field

from casefile import BufferLine, Case, Command
from model import SCALARS, SIZES, WRITING, Range, family
from statements import MOST_CONSTANT, KernelWriter
from units import parts, program_text

FORMATS = {"char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I", "long": "q", "ulong": "Q", "float": "f", "double": "d"}
PART_ALIGNMENT = 512  # NVIDIA wants 4096 bits, the most that a driver was seen to want
CHAIN = 20  # kernels, one launch each


@dataclass(eq=False)
class Slot:
    """Memory that launches are given: a buffer of its own or a part of one."""
    family: str           # see model.family
    fixed: str = ""       # a permutation, which stays one
    bytes: int = 1
    number: int = -1
    parent: int = -1
    origin: int = 0
    constant: bool = False  # bound to a __constant argument: stays small
    viewed: bool = False  # has a second handle, a part of the same bytes
    view: int = -1

    @property
    def unit(self):
        return 1 if self.family == "integer" else SCALARS[self.family]


@dataclass
class Made:
    """A case and what its writer knows about it. `kernels`: those that are launched."""
    seed: int
    case: Case
    kernels: list = field(default_factory=list)
    chain: bool = False


def random_range(rng, dims, given):
    most = {1: 1024, 2: 2048, 3: 2048}[dims]
    while True:
        local = [rng.choice([1, 2, 3, 4, 5, 8, 16, 32] if d == 0 else [1, 1, 2, 3, 4]) for d in range(dims)]
        groups = [rng.choice([1, 2, 3, 4, 5, 7, 8, 11, 16, 21] if dims == 1 or rng.random() < 0.5 else [1, 2, 3, 5]) for d in range(dims)]
        offset = [rng.randrange(12) for d in range(dims)] if rng.random() < 0.35 else [0] * dims
        made = Range(offset, groups, local, given)
        if 4 <= made.items <= most and made.group_items <= 64 and (made.group_total >= 4 or rng.random() < 0.02):
            return made


def random_ranges(rng):
    dims, given = rng.choice([1, 1, 1, 2, 2, 3]), rng.random() < 0.93
    first = random_range(rng, dims, given)
    while not given and first.items < 512:  # few work-items might become one group
        first = random_range(rng, dims, given)
    if not given or rng.random() < 0.65:
        return [first]
    second = random_range(rng, dims, given)
    # The same local size: drivers compile a kernel again for each.
    return [first, Range(second.offset if any(first.offset) else first.offset, second.groups, first.local, given)]


class CaseWriter:
    def __init__(self, seed):
        self.seed, self.rng = seed, random.Random(seed)
        self.slots, self.commands, self.launched = [], [], []
        self.last_write, self.last_reads = {}, {}  # by slot: numbers of commands
        self.queues, self.chain = self.rng.choice([1, 1, 2, 3]), False

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    # -- binding of buffers to arguments

    def slot(self, parameter, taken):
        """A known slot that `taken` leaves, or a new one."""
        fixed = f"permutation {parameter.value}" if parameter.role in ("permutation", "turning") else ""
        kind = family(parameter.type)
        size, constant = parameter.elements * SIZES[parameter.type], parameter.role == "table"
        fit = [s for s in self.slots if s.family == kind and s.fixed == fixed and id(s) not in taken]
        # oclgrind insists on the size of __constant buffers.
        fit = [s for s in fit if max(s.bytes, size) <= MOST_CONSTANT or not (s.constant or constant)]
        if fit and (fixed or self.chance(70)):
            chosen = self.rng.choice(fit)
        else:
            chosen = Slot(kind, fixed)
            self.slots.append(chosen)
        chosen.bytes = max(chosen.bytes, size)
        chosen.constant |= constant
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
                bound[parameter.name].viewed |= self.chance(40)
            elif parameter.role in ("read", "table", "permutation"):
                bound[parameter.name] = self.slot(parameter, writers)
                readers.add(id(bound[parameter.name]))
        return bound

    def command(self, kind, facts, reads=(), writes=(), arguments=()):
        """Waits for exactly the earlier commands that it must not overtake: the rest may run at the same time."""
        waits = {self.last_write[id(s)] for s in (*reads, *writes) if id(s) in self.last_write}
        for slot in writes:
            waits.update(self.last_reads.pop(id(slot), ()))
        number = len(self.commands)
        for slot in writes:
            self.last_write[id(slot)] = number
        for slot in reads:
            self.last_reads.setdefault(id(slot), set()).add(number)
        self.commands.append(Command(kind, self.rng.randrange(self.queues), sorted(waits), list(facts), list(arguments)))

    def launch(self, kernel):
        """Binds buffers now; what it returns adds the command, when they have their sizes and numbers."""
        chosen, bound = self.rng.choice(kernel.ranges), self.bind(kernel)
        sizes = [*(chosen.of("offset", d) for d in range(3)), *(chosen.size(d) for d in range(3)),
                 *(chosen.of("local", d) if chosen.given else 0 for d in range(3))]
        written = [bound[p.name] for p in kernel.parameters if p.role in WRITING]

        def submit():
            arguments = [self.argument(p, bound) for p in kernel.parameters]
            read = [s for s in bound.values() if s not in written]
            self.command("launch", [kernel.name, chosen.dims, *sizes], read, written, arguments)
            if any(s.parent >= 0 for s in bound.values()):
                kernel.features.add("sub_buffer")
        return submit

    def argument(self, parameter, bound):
        if parameter.name in bound:
            slot = bound[parameter.name]
            return ["buffer", slot.view if parameter.role == "alias" and slot.viewed else slot.number]
        if parameter.role == "local":
            return ["local", parameter.elements * SIZES[parameter.type]]
        if parameter.role == "settings":
            data = struct.pack("<ihxxIIQ", 77, -3, 5, 4000000000, 1 << 40)
        else:
            data = struct.pack("<" + FORMATS[parameter.type], parameter.value)
        return ["value", len(data), *data]

    # -- host commands; made when all slots have their sizes

    def content(self, slot):
        seed = self.rng.randrange(1 << 32)
        if slot.fixed:
            return ["permutation", seed, 0, 4]
        if slot.family != "integer":
            return [slot.family + "s", seed, "ffff", slot.unit]
        return ["bits", seed, self.rng.choice(["ffffffffffffffff", "ffffffffffffffff", "ff", "1"]), self.rng.choice([1, 2, 4, 8])]

    def pattern(self, slot, *sizes):
        """The content of a fill: one element, whose size divides the sizes."""
        size = self.rng.choice([n for n in (1, 2, 4, 8) if n >= slot.unit and all(s % n == 0 for s in sizes)])
        if slot.family == "integer":
            return ["bits", self.rng.randrange(1 << 32), "ffffffffffffffff", size]
        return [slot.family + "s", self.rng.randrange(1 << 32), "ffff", slot.unit]

    def stretch(self, slot):
        """Some elements of a slot: first byte and count of bytes."""
        count = slot.bytes // slot.unit
        first = self.rng.randrange(count)
        return first * slot.unit, self.rng.randrange(1, count - first + 1) * slot.unit

    def box(self, slot):
        """Rows and slices inside a slot: origin, region, row and slice pitch."""
        unit = slot.unit
        row = self.rng.randrange(1, max(2, slot.bytes // unit // 3)) * unit
        rows = self.rng.randrange(1, max(2, slot.bytes // row))
        layers = max(1, slot.bytes // (row * rows))
        origin = [self.rng.randrange(row // unit) * unit, self.rng.randrange(rows), self.rng.randrange(layers)]
        region = [self.rng.randrange(1, (row - origin[0]) // unit + 1) * unit, self.rng.randrange(1, rows - origin[1] + 1),
                  self.rng.randrange(1, layers - origin[2] + 1)]
        return origin, region, [row, row * rows]

    def host_command(self):
        slot = self.rng.choice(self.slots)
        kind = self.rng.choice(["write", "write", "read", "read", "copy", "copy", "fill", "map", "map", "write_rect", "read_rect", "copy_rect"])
        if kind in ("copy", "copy_rect"):
            others = [s for s in self.slots if s.family == slot.family and s is not slot and not s.fixed and not slot.fixed]
            # PoCL 3.1 crashes when it copies rows of parts of buffers.
            if others and kind == "copy_rect":
                others = [s for s in others if s.parent < 0 and slot.parent < 0]
            if others:
                return self.copy(kind, slot, self.rng.choice(others))
            kind = "read"
        if slot.fixed:
            kind = self.rng.choice(["read", "read_rect"])
        if kind.endswith("rect"):
            origin, region, pitches = self.box(slot)
            place = [slot.number, *origin, *region, *pitches]
        else:
            place = [slot.number, *self.stretch(slot)]
        if kind.startswith("read"):
            self.command(kind, place, [slot])
        elif kind == "fill":
            self.command(kind, place + self.pattern(slot, *place[1:]), [], [slot])
        elif kind == "map":
            self.command(kind, [*place, self.rng.choice(["read", "write", "both", "invalidate"]), *self.content(slot)], [], [slot])
        else:
            self.command(kind, place + self.content(slot), [], [slot])

    def copy(self, kind, source, to):
        if kind == "copy":
            offset, size = self.stretch(source)
            count = min(size, to.bytes)
            self.command("copy", [source.number, to.number, offset, to.bytes - count, count], [source], [to])
            return
        origin, region, pitches = self.box(source)
        fitting, room, other = self.box(to)
        region = [min(a, b) for a, b in zip(region, room)]
        self.command("copy_rect", [source.number, to.number, *origin, *fitting, *region, *pitches, *other], [source], [to])

    # -- the whole

    def sharing_slots(self):
        """Groups of slots that become parts of one buffer each."""
        free, groups = list(self.slots), []
        self.rng.shuffle(free)
        while len(free) >= 2 and self.chance(40):
            group = [s for s in (free.pop(), free.pop()) if not s.fixed]
            if len(group) == 2:
                groups.append(group)
        return groups

    def place(self):
        """Numbers slots and returns the lines that create them all; writes what is not there from the start."""
        sharing, roots, parts = self.sharing_slots(), [], []
        for slot in [s for s in self.slots if not any(s in group for group in sharing)]:
            slot.number = len(roots)
            late = self.chance(25) and not slot.fixed
            kind = self.rng.choice(["write", "fill"])
            # Bytes behind the slot that are never written stay undefined, and are never read.
            slack = self.rng.choice([0, 0, 64, 4096]) if late else 0
            roots.append(BufferLine(False, [slot.bytes + slack, self.flags(), *(["none", 0, 0, 1] if late else self.content(slot))]))
            if late:
                self.command(kind, [slot.number, 0, slot.bytes, *(self.content(slot) if kind == "write" else self.pattern(slot, slot.bytes))], [], [slot])
        for group in sharing:
            end = 0
            for slot in group:
                slot.parent, slot.origin = len(roots), end
                end = -(-(end + slot.bytes) // PART_ALIGNMENT) * PART_ALIGNMENT
            roots.append(BufferLine(False, [end, self.flags(), "bits", 1, 0, 1]))
        for slot in [s for group in sharing for s in group]:
            slot.number = len(roots) + len(parts)
            parts.append(BufferLine(True, [slot.parent, slot.origin, slot.bytes]))
            self.command("write", [slot.number, 0, slot.bytes, *self.content(slot)], [], [slot])
        for slot in [s for s in self.slots if s.viewed]:
            slot.view = len(roots) + len(parts)
            parts.append(BufferLine(True, [slot.parent if slot.parent >= 0 else slot.number, slot.origin, slot.bytes]))
        return roots + parts

    def flags(self):
        return "use_host" if self.chance(10) else "plain"

    def plan(self):
        """The kernels and the order of their launches: a few, several times, or a chain of many."""
        self.chain = self.chance(15)
        # Drivers need most of their time for a program, little for each of its kernels.
        count = CHAIN if self.chain else self.rng.choice([4, 8, 10, 12])
        kernels = [KernelWriter(self.rng, f"s{self.seed}k{i}", random_ranges(self.rng)).write() for i in range(count)]
        order = list(kernels)
        if not self.chain:
            order += [self.rng.choice(kernels) for _ in range(self.rng.randrange(1, count))]
            self.rng.shuffle(order)
        return kernels, order

    def write(self):
        kernels, order = self.plan()
        launches = [self.launch(kernel) for kernel in order]
        buffers = self.place()
        for launch in launches:
            launch()
            while self.chance(35):
                self.host_command()
        self.rng.shuffle(self.slots)
        for slot in self.slots:
            self.command("read", [slot.number, 0, slot.bytes], [slot])
        order = "out_of_order" if self.chance(25) else "in_order"
        return Made(self.seed, Case(program_text(self.rng, kernels), order, buffers, self.commands), kernels, self.chain)


def make_case(seed) -> Made:
    return CaseWriter(seed).write()


def one_unit_seeds(seed, programs):
    """Seeds from `seed` on whose cases have one text, until these have so many kernels. The code of units that are linked is made of their
    joined text, which is the driver's business."""
    kernels = 0
    while kernels < programs:
        made = make_case(seed)
        if len(parts(made.case.source)[1]) == 1:
            yield seed
            kernels += len(made.kernels)
        seed += 1


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        with open(f"{argument}.case", "w", encoding="utf-8") as file:
            file.write(make_case(int(argument)).case.text())
