# SPDX-License-Identifier: Apache-2.0
"""Random OpenCL C 1.2 kernels that have one right answer: every element is written by one work-item at most (an injective
map of ids to elements owns it), nobody reads what another work-item of the launch writes, arithmetic is exact.
"""
import random
from dataclasses import dataclass, field

SIZES = {"uchar": 1, "char": 1, "ushort": 2, "short": 2, "uint": 4, "int": 4, "float": 4, "ulong": 8, "long": 8, "double": 8,
         "uchar4": 4, "short2": 4, "int2": 8, "uint4": 16, "float4": 16, "Record": 8}
VECTORS = {"uchar4": ("uchar", 4), "short2": ("short", 2), "int2": ("int", 2), "uint4": ("uint", 4), "float4": ("float", 4)}
UNSIGNED = ("uchar", "ushort", "uint", "ulong")
RECORD = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\ntypedef struct { uint a; ushort b; uchar c; uchar d; } Record;\n"
SETTINGS = "typedef struct { int first; short second; uint third[2]; ulong fourth; } Settings;\n"


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
class Parameter:
    name: str
    type: str
    role: str            # read, own, atomic, permutation, table, value, settings, local
    elements: int = 1    # buffers: how many of them the kernel may touch
    value: object = None
    form: object = None  # own: the injective map
    per_item: int = 1    # own: elements of each work-item, beside each other or, with `pitch`, that far apart
    pitch: int = 0
    only: object = None  # own: the one element of each work-item that this parameter writes (shared buffer)
    base: int = 0
    partner: object = None
    atomic: str = ""
    restrict: bool = False

    def need(self, elements):
        self.elements = max(self.elements, elements)


@dataclass
class Form:
    """An injective map of work-items to numbers 0 … limit-1. `leaders`: only local item 0 has one."""
    text: str
    limit: int
    leaders: bool = False


@dataclass
class Kernel:
    name: str
    ranges: list
    parameters: list = field(default_factory=list)
    text: str = ""
    calls: str = ""


def power_above(value):
    result = 1
    while result < value:
        result *= 2
    return result


class Writer:
    """Writes one kernel."""

    def __init__(self, rng, name, ranges):
        self.rng, self.kernel = rng, Kernel(name, ranges)
        self.ranges = ranges
        self.items = max(r.items for r in ranges)
        self.dims = max(r.dims for r in ranges)
        self.local_known = all(r.given for r in ranges)
        self.names = 0
        self.macros, self.helpers = [], []
        self.scope = []      # (name, type) of variables in scope
        self.loops = []      # (name, exclusive limit) of loop counters in scope
        self.locals = []
        self.early = False

    # -- names, constants, parameters

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def add(self, **facts):
        stem = {"read": "in", "own": "out", "atomic": "sum", "permutation": "perm", "table": "table", "local": "scratch"}.get(facts["role"], "arg")
        parameter = Parameter(name=self.fresh(stem), **facts)
        self.kernel.parameters.append(parameter)
        return parameter

    def having(self, role):
        return [p for p in self.kernel.parameters if p.role == role]

    def constant(self, value, text_type="uint"):
        """The value, as a literal, macro or scalar argument."""
        how = self.rng.randrange(10)
        if how < 4 or value < 0:
            return f"{value}u" if text_type == "uint" and value >= 0 else f"({value})"
        if how < 6:
            name = self.fresh("K").upper() + "_"
            self.macros.append(f"#define {name} {value}{'u' if text_type == 'uint' else ''}")
            return name
        known = [p for p in self.having("value") if p.value == value]
        if known:
            return f"({text_type}){self.rng.choice(known).name}"
        kinds = ["int", "uint", "ulong", "long"] + (["ushort", "short"] if value < 30000 else [])
        return f"({text_type})" + self.add(role="value", type=self.rng.choice(kinds), value=value).name

    # -- geometry

    def cast(self, text):
        kind = self.rng.choice(["uint", "uint", "int", "size_t", "ulong", "long", ""])
        return f"({kind}){text}" if kind else text

    def place(self, dim):
        """The global id without its offset, in one of several spellings."""
        spellings = [f"(get_global_id({dim}) - get_global_offset({dim}))"] * 2
        if all(r.of("offset", dim) == 0 for r in self.ranges):
            spellings += [f"get_global_id({dim})"] * 4
        if self.local_known:
            spellings += [f"(get_group_id({dim}) * get_local_size({dim}) + get_local_id({dim}))"] * 2
        return self.cast(self.rng.choice(spellings))

    def linear(self):
        text = self.place(0)
        if self.dims == 1:
            return text
        size = self.cast("get_global_size(0)")
        if self.dims == 2:
            return f"({self.place(1)} * {size} + {text})"
        return f"(({self.place(2)} * {self.cast('get_global_size(1)')} + {self.place(1)}) * {size} + {text})"

    def local_linear(self):
        if self.dims == 1:
            return "get_local_id(0)"
        if self.dims == 2:
            return "(get_local_id(1) * get_local_size(0) + get_local_id(0))"
        return "((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0))"

    def local_total(self):
        return "(" + " * ".join(f"get_local_size({d})" for d in range(self.dims)) + ")"

    def group_linear(self):
        if self.dims == 1:
            return "get_group_id(0)"
        if self.dims == 2:
            return "(get_group_id(1) * get_num_groups(0) + get_group_id(0))"
        return "((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0))"

    def group_count(self):
        return "(" + " * ".join(f"get_num_groups({d})" for d in range(self.dims)) + ")"

    def limit(self, dim):
        return max(r.of("offset", dim) + r.size(dim) for r in self.ranges)

    def pitched(self, order):
        """Global ids with their offsets over rows of fixed length, dimensions in `order`, innermost first."""
        text, limit = "", 1
        for dim in order:
            part = self.cast(f"get_global_id({dim})")
            text = f"{text} + {part} * {self.constant(limit)}" if text else part
            limit *= self.limit(dim) + self.rng.choice([0, 0, 0, 1, 3])
        return Form(f"({text})", limit)

    def form(self):
        rng, items = self.rng, self.items
        count = " * ".join(self.cast(f"get_global_size({d})") for d in range(self.dims))
        choice = rng.choice(["linear"] * 6 + ["pitched"] * 5 + ["transposed"] * 3 + ["reversed"] * 2 + ["xor", "scattered", "gathered", "rotated"]
                            + (["grouped", "grouped", "mirrored", "backwards", "leaders", "leaders"] if self.local_known else []))
        if choice == "pitched":
            return self.pitched(range(self.dims))
        if choice == "transposed":
            order = list(range(self.dims))
            rng.shuffle(order)
            return self.pitched(order)
        if choice == "reversed":
            return Form(f"({count} - 1 - {self.linear()})", items)
        if choice == "xor":
            mask = rng.choice([1, 2, 3, 5, 7])
            return Form(f"({self.linear()} ^ {self.constant(mask)})", (items - 1 | 7) + 1)
        if choice == "scattered":
            bound = power_above(items)
            return Form(f"((uint)({self.linear()} * {rng.choice([3, 5, 7, 11, 1001])}u) & {self.constant(bound - 1)})", bound)
        if choice == "gathered":
            buffer = self.permutation()
            return Form(f"{buffer.name}[{self.linear()}]", buffer.value)
        if choice == "rotated":
            return Form(f"(({self.linear()} + {self.constant(rng.randrange(1, 9))}) % ({count}))", items)
        if choice == "grouped":
            return Form(f"({self.group_linear()} * {self.local_total()} + {self.local_linear()})", items)
        if choice == "mirrored":
            return Form(f"({self.group_linear()} * {self.local_total()} + ({self.local_total()} - 1 - {self.local_linear()}))", items)
        if choice == "backwards":
            return Form(f"(({self.group_count()} - 1 - {self.group_linear()}) * {self.local_total()} + {self.local_linear()})", items)
        if choice == "leaders":
            return Form(self.group_linear(), max(r.group_total for r in self.ranges), leaders=True)
        return Form(self.linear(), items)

    def permutation(self):
        """A buffer holding a permutation of 0 … value-1, value at least the number of work-items."""
        known = self.having("permutation")
        if known:
            return known[0]
        count = self.items + self.rng.choice([0, 0, 13])
        return self.add(role="permutation", type="uint", elements=count, value=count)

    # -- expressions; `whole` is any uint, `small` an int of small magnitude

    def geometry(self):
        dim = self.rng.choice([0, 0, 1, 2, 3]) if self.chance(20) else self.rng.randrange(self.dims)
        queries = ["global_id", "global_id", "global_size", "global_offset"]
        if self.local_known:
            queries += ["local_id", "group_id", "local_size", "num_groups"]
        if dim == 3:  # beyond the three that exist PoCL gives sizes as 0 where the specification says 1
            queries = [q for q in queries if q.endswith(("id", "offset"))]
        query = self.rng.choice(queries)
        return f"get_{query}({dim})" if self.chance(93) else "get_work_dim()"

    def leaf(self):
        rng = self.rng
        choice = rng.randrange(12)
        if choice < 3 and self.scope:
            name, kind = rng.choice(self.scope)
            return f"(uint){name}" if kind != "uint" else name
        if choice < 4 and self.loops:
            return f"(uint){rng.choice(self.loops)[0]}"
        if choice < 7:
            return f"(uint){self.geometry()}"
        if choice < 10:
            return self.load()
        settings = self.having("settings")
        if choice < 11 and settings:
            return f"(uint){settings[0].name}.{rng.choice(['first', 'second', 'third[0]', 'third[1]', 'fourth'])}"
        return self.constant(rng.choice([0, 1, 2, 3, 5, 16, 100, 255, 4095, rng.randrange(1 << 20)]))

    def whole(self, depth=2):
        rng = self.rng
        if depth <= 0 or self.chance(15):
            return self.leaf()
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        return rng.choice([
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} ^ {b})", f"({a} | {b})", f"({a} & {b})", f"({a} / ({b} | 1u))",
            f"({a} % (({b} & 63u) + 1u))", f"({a} << ({b} & 7u))", f"({a} >> ({b} & 15u))", f"min({a}, {b})", f"max({a}, {b})",
            f"({self.condition(depth - 1)} ? {a} : {b})", f"abs_diff({a}, {b})", f"rotate({a}, {b} & 31u)", f"mul_hi({a}, {b})",
            f"(uint)(((ulong){a} * (ulong){b}) >> 7)", f"(uint)(uchar){a}", f"(uint)(short){a}", f"(uint)({self.small(depth - 1)})",
            f"(uint)(((float)({a} & 255u)) * 3.0f + (float)({b} & 1023u))", f"popcount({a})", f"hadd({a}, {b})", f"mad24({a} & 4095u, {b} & 255u, {a})",
            f"bitselect({a}, {b}, 0x0f0fu)", f"(uint)((long){a} - (long){b} >> 3)"])

    def small(self, depth=2):
        """An int of magnitude below 2^12·8^depth."""
        rng = self.rng
        if depth <= 0:
            return rng.choice([f"(int)({self.leaf()} & 1023u)", f"(int){self.geometry()}", str(rng.randrange(1, 50))])
        a, b = self.small(depth - 1), self.small(depth - 1)
        return rng.choice([f"({a} + {b})", f"({a} - {b})", f"({a} * {rng.randrange(-4, 8)})", f"({a} / {rng.randrange(2, 9)})",
                           f"({a} % {rng.randrange(2, 40)})", f"({a} >> {rng.randrange(1, 4)})", f"clamp({a}, -7, {rng.randrange(9, 99)})",
                           f"min({a}, {b})", f"max({a}, {b})", f"({self.condition(depth - 1)} ? {a} : {b})", f"(-{a})", f"(int)abs({a})"])

    def condition(self, depth=1):
        rng = self.rng
        choice = rng.randrange(8)
        if choice < 3:
            return f"({self.geometry()} {rng.choice(['<', '>', '>=', '<=', '!='])} {self.constant(rng.randrange(1, 30))})"
        if choice == 3:
            return f"({self.geometry()} % {rng.randrange(2, 6)} == {rng.randrange(2)})"
        if choice == 4:
            return f"(({self.whole(depth)} & {rng.choice([1, 3, 6])}u) != 0u)"
        if choice == 5:
            return f"({self.small(depth)} {rng.choice(['<', '>', '>='])} {self.small(depth)})"
        if choice == 6 and depth > 0:
            return f"({self.condition(depth - 1)} {rng.choice(['&&', '||'])} {self.condition(depth - 1)})"
        return f"({self.linear()} < {self.constant(max(1, self.items - rng.randrange(20)))})"

    # -- reading

    def load(self):
        """A uint from a buffer that this kernel only reads (or a table, or an element that this work-item owns)."""
        readable = [p for p in self.kernel.parameters if p.role in ("read", "table")]
        if len(readable) < 4 and (not readable or self.chance(25)):
            kind = self.rng.choice([t for t in SIZES])
            role = "table" if self.chance(15) and kind != "Record" else "read"
            readable = [self.add(role=role, type=kind, restrict=self.chance(25))]
        parameter = self.rng.choice(readable)
        if parameter.type in ("uint", "int", "float", "uchar") and self.chance(12):
            return self.vload(parameter)
        return self.as_uint(parameter, f"{parameter.name}[{self.index(parameter)}]")

    def vload(self, parameter):
        width = self.rng.choice([2, 3, 4, 8])
        count = self.rng.randrange(1, 60)
        parameter.need(count * width + 3)
        lane = self.rng.choice(["s0", "s1"])
        return f"(uint)vload{width}((size_t)({self.whole(1)} % {self.constant(count)}), {parameter.name} + {self.rng.randrange(4)}).{lane}"

    def as_uint(self, parameter, text):
        if parameter.type == "Record":
            return f"(uint){text}.{self.rng.choice('abcd')}"
        if parameter.type in VECTORS:
            lanes = VECTORS[parameter.type][1]
            return f"(uint){text}.{self.rng.choice('xyzw'[:lanes])}"
        return f"(uint){text}"

    def index(self, parameter):
        rng, items = self.rng, self.items
        bound = rng.choice([1, 7, 16, 64, items, items, rng.randrange(1, 2 * items + 2)])
        choice = rng.randrange(14)
        if choice < 4:
            form = self.linear() if self.chance(60) else self.pitched(range(self.dims))
            limit = items if isinstance(form, str) else form.limit
            shift = rng.choice([0, 0, 1, 2, 17])
            parameter.need(limit + shift)
            text = form if isinstance(form, str) else form.text
            return f"{text} + {self.constant(shift)}" if shift else text
        if choice == 4:
            stride, shift = rng.randrange(2, 5), rng.randrange(4)
            parameter.need(items * stride + shift)
            return f"{self.linear()} * {self.constant(stride)} + {shift}"
        if choice == 5:
            parameter.need(bound)
            return f"clamp((int){self.linear()} + {rng.randrange(-9, 9)}, 0, (int){self.constant(bound - 1, 'int')})"
        if choice == 6:
            return self.stencil(parameter)
        if choice == 7 and self.loops:
            name, limit = rng.choice(self.loops)
            if self.chance(50):
                parameter.need(items * limit)
                return f"{self.linear()} * {self.constant(limit)} + {name}"
            parameter.need(items * limit)
            return f"{name} * {self.constant(items)} + {self.linear()}"
        if choice == 8:
            parameter.need(items)
            return rng.choice([f"{self.linear()} >> {rng.randrange(1, 4)}", f"{self.linear()} / {self.constant(rng.randrange(1, 9))}"])
        if choice == 9 and self.local_known:
            parameter.need(max(r.group_total for r in self.ranges))
            return self.group_linear()
        if choice == 10:
            parameter.need(power_above(bound))
            return f"({self.whole(1)} & {self.constant(power_above(bound) - 1)})"
        if choice == 11:
            parameter.need(items)
            return f"({self.condition(0)} ? {self.linear()} : 0)"
        parameter.need(bound)
        return rng.choice([f"{self.whole(1)} % {self.constant(bound)}", f"min({self.whole(1)}, {self.constant(bound - 1)})"])

    def stencil(self, parameter):
        width, height = self.rng.randrange(2, 40), self.rng.randrange(1, 20)
        parameter.need(width * height)
        dx, dy = self.rng.randrange(-2, 3), self.rng.randrange(-2, 3)
        row = f"clamp((int)get_global_id({1 if self.dims > 1 else 0}) + {dy}, 0, {height - 1})"
        return f"{row} * (int){self.constant(width, 'int')} + clamp((int)get_global_id(0) + {dx}, 0, {width - 1})"
