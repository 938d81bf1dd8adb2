# SPDX-License-Identifier: Apache-2.0
"""What random kernels are made of: types, ranges, arguments, and maps that give each work-item elements of its own."""
from dataclasses import dataclass, field

SCALARS = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4, "double": 8}
VECTORS = {f"{base}{lanes}": (base, lanes) for base in SCALARS for lanes in (2, 3, 4, 8, 16)}
SIZES = {**SCALARS, **{name: SCALARS[base] * (4 if lanes == 3 else lanes) for name, (base, lanes) in VECTORS.items()}, "Record": 8}
UNSIGNED = {"char": "uchar", "uchar": "uchar", "short": "ushort", "ushort": "ushort", "int": "uint", "uint": "uint", "long": "ulong", "ulong": "ulong"}
REAL = ("float", "double")
PREAMBLE = """#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
typedef struct { uint a; ushort b; uchar c; uchar d; } Record;
typedef struct { int first; short second; uint third[2]; ulong fourth; } Settings;
"""
# Roles of arguments whose buffers a kernel writes.
WRITING = ("own", "single", "atomic", "same", "turning")


def base_of(kind):
    """The scalar type of a vector's lanes."""
    return VECTORS[kind][0] if kind in VECTORS else kind


def family(kind):
    """Types of one family may see each other's bytes: any bits are an integer, but arithmetic stays exact only on some floats."""
    return base_of(kind) if base_of(kind) in REAL else "integer"


def power_above(value):
    result = 1
    while result < value:
        result *= 2
    return result


@dataclass
class Range:
    offset: list
    groups: list
    local: list
    given: bool = True  # False: the application passes no local size

    @property
    def dims(self):
        return len(self.groups)

    def of(self, what, dim):
        values = getattr(self, what)
        return values[dim] if dim < self.dims else (0 if what == "offset" else 1)

    def size(self, dim):
        return self.of("groups", dim) * self.of("local", dim)

    @property
    def items(self):
        return self.size(0) * self.size(1) * self.size(2)

    @property
    def group_items(self):
        return self.of("local", 0) * self.of("local", 1) * self.of("local", 2)

    @property
    def group_total(self):
        return self.items // self.group_items


@dataclass
class Form:
    """An injective map of work-items to numbers 0 … limit-1. `leaders`: only local item 0 has one."""
    text: str
    limit: int
    leaders: bool = False


@dataclass
class Parameter:
    """An argument. Roles: read; table (__constant); permutation (of 0 … value-1, read only); turning (a permutation that the
    kernel turns round); own (elements belong to work-items); single (the same, for one statement only); atomic; same (all items that
    write an element write the same); alias (a second name of `partner`, read only); value; settings (a struct); local."""
    name: str
    type: str
    role: str
    elements: int = 1    # buffers: how many of them the kernel may touch
    value: object = None
    form: Form = None    # own: who owns what
    per_item: int = 1    # own: elements of each work-item, beside each other or, with `pitch`, that far apart
    pitch: int = 0
    only: object = None  # own: the one element of each work-item that this parameter writes (shared buffer)
    base: int = 0
    partner: object = None
    atomic: tuple = ()   # the operations that commute with each other, of which one class is done to a buffer
    restrict: bool = False

    def need(self, elements):
        self.elements = max(self.elements, elements)

    @property
    def is_buffer(self):
        return self.role not in ("value", "settings", "local")


@dataclass
class Kernel:
    name: str
    ranges: list
    parameters: list = field(default_factory=list)
    text: str = ""
    outer: str = ""        # text of a kernel that calls this one, and has its name from then on
    declaration: str = ""  # of this one, for a unit that has only the other
    features: set = field(default_factory=set)  # names of statistics.FEATURES
