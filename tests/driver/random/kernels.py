# SPDX-License-Identifier: Apache-2.0
"""Random OpenCL C 1.2 kernels that have one right answer: every element is written by one work-item at most (an injective
map of ids to elements owns it), no work-item reads what another one of the launch writes, arithmetic is exact.
"""
from bounded import BoundedExpressions
from model import REAL, SCALARS, UNSIGNED, VECTORS, Form, Kernel, Parameter, power_above
from typed import TypedValues

STEMS = {"read": "in", "own": "out", "single": "out", "atomic": "sum", "same": "flag", "turning": "perm", "permutation": "perm", "table": "table",
         "local": "scratch"}


class Writer(BoundedExpressions, TypedValues):
    """Names, geometry, expressions and loads of one kernel."""

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

    # -- names, constants, parameters

    def uses(self, feature):
        self.kernel.features.add(feature)

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def add(self, **facts):
        parameter = Parameter(name=self.fresh(STEMS.get(facts["role"], "arg")), **facts)
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
        kinds = ["int", "uint", "ulong", "long"] + (["ushort", "short"] if value < 1 << 15 else []) + (["uchar", "char"] if value < 1 << 7 else [])
        if value < 1 << 16 and self.chance(4):
            kinds = REAL
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
        choices = [self.linear_form] * 6 + [self.pitched_form] * 5 + [self.turned_form] * 2 + [self.xor_form, self.scattered_form, self.scattered_form]
        choices += [self.gathered_form, self.rotated_form, self.wrapped_form, self.real_form, self.real_form]
        if self.local_known:
            choices += [self.group_form] * 5
        return self.rng.choice(choices)()

    def linear_form(self):
        return Form(self.linear(), self.items)

    def pitched_form(self):
        order = list(range(self.dims))
        if self.chance(40):
            self.rng.shuffle(order)
        return self.pitched(order)

    def count(self):
        return " * ".join(self.cast(f"get_global_size({d})") for d in range(self.dims))

    def turned_form(self):
        return Form(f"({self.count()} - 1 - {self.linear()})", self.items)

    def xor_form(self):
        mask = self.rng.choice([1, 2, 3, 5, 7])
        return Form(f"({self.linear()} ^ {self.constant(mask)})", (self.items - 1 | 7) + 1)

    def scattered_form(self):
        """A product with an odd number, modulo a power of two; with a big one it wraps."""
        self.uses("scattered_write")
        factor = self.rng.choice(["3u", "5u", "7u", "1001u", "2654435761u", "4294967291u"])
        if len(factor) > 6:
            self.uses("wrapping")
        bound = power_above(self.items)
        return Form(f"((uint)({self.linear()} * {factor}) & {self.constant(bound - 1)})", bound)

    def wrapped_form(self):
        """Below zero and back, in a type of limited width."""
        self.uses("wrapping")
        bound, by = power_above(self.items), self.rng.randrange(1, 40)
        if bound <= 256 and self.chance(50):
            return Form(f"(uchar)({self.linear()} - {self.constant(by)})", 256)
        return Form(f"(((uint){self.linear()} - {self.constant(by)}) & {self.constant(bound - 1)})", bound)

    def gathered_form(self):
        self.uses("indirect")
        self.uses("scattered_write")
        buffer = self.permutation()
        if self.chance(25):
            return Form(f"{buffer.name}[{buffer.name}[{self.linear()}]]", buffer.value)
        return Form(f"{buffer.name}[{self.linear()}]", buffer.value)

    def rotated_form(self):
        return Form(f"(({self.linear()} + {self.constant(self.rng.randrange(1, 9))}) % ({self.count()}))", self.items)

    def real_form(self):
        """An address that floating point decides."""
        factor, shift = self.rng.choice([1, 2, 3]), self.rng.randrange(3)
        return Form(f"(uint)((float)({self.linear()}) * {factor}.0f + {shift}.0f)", factor * self.items + shift)

    def group_form(self):
        choice, items = self.rng.randrange(5), self.items
        if choice == 0:
            return Form(f"({self.group_linear()} * {self.local_total()} + ({self.local_total()} - 1 - {self.local_linear()}))", items)
        if choice == 1:
            return Form(f"(({self.group_count()} - 1 - {self.group_linear()}) * {self.local_total()} + {self.local_linear()})", items)
        if choice == 2:
            return Form(self.group_linear(), max(r.group_total for r in self.ranges), leaders=True)
        return self.grouped_form()

    def grouped_form(self):
        return Form(f"({self.group_linear()} * {self.local_total()} + {self.local_linear()})", self.items)

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
        choice = rng.randrange(26)
        if choice == 24:
            return self.program_constant()
        if choice == 25:
            self.uses("option_macro")
            return "TERM"
        choice //= 2
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

    def program_constant(self):
        """From a table that stands in the program."""
        self.uses("program_constant")
        name, count = f"table{self.kernel.name}", 8
        kind = "ushort" if len(name) % 2 else "uint"
        values = ", ".join(str((i * 40503 + len(name)) % 65536) for i in range(count))
        self.helper(f"__constant {kind} {name}[{count}] = {{{values}}};\n")
        at = f"(uint){self.geometry()}" if self.chance(50) else self.leaf()
        return f"(uint){name}[{at} & {count - 1}u]"

    def whole(self, depth=2):
        if depth <= 0 or self.chance(15):
            return self.leaf()
        choice = self.rng.randrange(100)
        if choice < 8:
            return f"(uint)({self.small(depth - 1)})"
        if choice < 13:
            return self.through_vector()
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        if choice < 18:
            return f"({self.condition(depth - 1)} ? {a} : {b})"
        if choice < 26:
            return self.through_builtin(a, b)
        return self.rng.choice([
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} ^ {b})", f"({a} | {b})", f"({a} & {b})", f"({a} / ({b} | 1u))",
            f"({a} % (({b} & 63u) + 1u))", f"({a} << ({b} & 7u))", f"({a} >> ({b} & 15u))", f"min({a}, {b})", f"max({a}, {b})",
            f"abs_diff({a}, {b})", f"rotate({a}, {b} & 31u)", f"mul_hi({a}, {b})", f"(uint)(((ulong){a} * (ulong){b}) >> 7)",
            f"(uint)(uchar){a}", f"(uint)(short){a}", f"(uint)(((float)({a} & 255u)) * 3.0f + (float)({b} & 1023u))", f"popcount({a})",
            f"hadd({a}, {b})", f"mad24({a} & 4095u, {b} & 255u, {a})", f"bitselect({a}, {b}, 0x0f0fu)",
            f"(uint)((long){a} - (long){b} >> 3)"])

    def through_builtin(self, a, b):
        kind = self.rng.choice(list(UNSIGNED))
        return f"(uint)({self.builtin(kind, [f'({kind})({a})', f'({kind})({b})', f'({kind})({self.leaf()})'])})"

    def through_vector(self):
        kind = self.rng.choice([v for v, (base, _) in VECTORS.items() if base not in REAL])
        return f"(uint)({self.vector(kind)}).{self.lane(kind)}"

    def small(self, depth=2):
        """An int of magnitude below 2^12·8^depth."""
        rng = self.rng
        if depth <= 0:
            choice = rng.randrange(3)
            return f"(int)({self.leaf()} & 1023u)" if choice == 0 else f"(int){self.geometry()}" if choice == 1 else str(rng.randrange(1, 50))
        a, b = self.small(depth - 1), self.small(depth - 1)
        if self.chance(10):
            return f"({self.condition(depth - 1)} ? {a} : {b})"
        return rng.choice([f"({a} + {b})", f"({a} - {b})", f"({a} * {rng.randrange(-4, 8)})", f"({a} / {rng.randrange(2, 9)})",
                           f"({a} % {rng.randrange(2, 40)})", f"({a} >> {rng.randrange(1, 4)})", f"clamp({a}, -7, {rng.randrange(9, 99)})",
                           f"min({a}, {b})", f"max({a}, {b})", f"(-{a})", f"(int)abs({a})"])

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
        """A uint from a buffer that this kernel only reads, or a table."""
        readable = [p for p in self.kernel.parameters if p.role in ("read", "table")]
        if len(readable) < 4 and (not readable or self.chance(25)):
            kind = self.element_type(written=False)
            role = "table" if self.chance(15) and kind != "Record" else "read"
            readable = [self.add(role=role, type=kind, restrict=self.chance(25))]
        parameter = self.rng.choice(readable)
        if parameter.type in SCALARS and self.chance(12):
            return self.vload(parameter)
        return self.as_uint(parameter, f"{parameter.name}[{self.index(parameter)}]")

    def vload(self, parameter):
        width = self.rng.choice([2, 3, 3, 4, 8, 16])
        if width == 3:
            self.uses("vector3")
        count = self.rng.randrange(1, 60)
        parameter.need(count * width + 3)
        return f"(uint)vload{width}((size_t)({self.whole(1)} % {self.constant(count)}), {parameter.name} + {self.rng.randrange(4)}).s{self.rng.randrange(width):x}"

    def as_uint(self, parameter, text):
        if parameter.type == "Record":
            return f"(uint){text}.{self.rng.choice('abcd')}"
        if parameter.type in VECTORS:
            return f"(uint){text}.{self.lane(parameter.type)}"
        return f"(uint){text}"

    def index(self, parameter):
        choices = [self.linear_index] * 4 + [self.strided_index, self.clamped_index, self.stencil, self.halved_index, self.chosen_index]
        choices += [self.bounded_index] * 6 + [self.data_index] * 3
        if self.loops:
            choices += [self.looped_index] * 2
        return self.rng.choice(choices)(parameter)

    def linear_index(self, parameter):
        form = Form(self.linear(), self.items) if self.chance(60) else self.pitched(range(self.dims))
        shift = self.rng.choice([0, 0, 1, 2, 17])
        parameter.need(form.limit + shift)
        return f"{form.text} + {self.constant(shift)}" if shift else form.text

    def strided_index(self, parameter):
        stride, shift = self.rng.randrange(2, 5), self.rng.randrange(4)
        parameter.need(self.items * stride + shift)
        return f"{self.linear()} * {self.constant(stride)} + {shift}"

    def clamped_index(self, parameter):
        bound = self.rng.choice([1, 7, 64, self.items])
        parameter.need(bound)
        return f"clamp((int){self.linear()} + {self.rng.randrange(-9, 9)}, 0, (int){self.constant(bound - 1, 'int')})"

    def looped_index(self, parameter):
        name, limit = self.rng.choice(self.loops)
        parameter.need(self.items * limit)
        if self.chance(50):
            return f"{self.linear()} * {self.constant(limit)} + {name}"
        return f"{name} * {self.constant(self.items)} + {self.linear()}"

    def halved_index(self, parameter):
        parameter.need(self.items)
        if self.chance(50):
            return f"{self.linear()} >> {self.rng.randrange(1, 4)}"
        return f"{self.linear()} / {self.constant(self.rng.randrange(1, 9))}"

    def chosen_index(self, parameter):
        parameter.need(self.items)
        return f"({self.condition(0)} ? {self.linear()} : 0)"

    def bounded_index(self, parameter):
        text, bound = self.bounded(4 * self.items)
        parameter.need(bound)
        return text

    def data_index(self, parameter):
        """Anything at all, cut off."""
        self.uses("indirect")
        bound = self.rng.choice([1, 7, 16, 64, self.items, self.rng.randrange(1, 2 * self.items + 2)])
        choice = self.rng.randrange(3)
        if choice == 0:
            parameter.need(power_above(bound))
            return f"({self.whole(1)} & {self.constant(power_above(bound) - 1)})"
        parameter.need(bound)
        return f"{self.whole(1)} % {self.constant(bound)}" if choice == 1 else f"min({self.whole(1)}, {self.constant(bound - 1)})"

    def stencil(self, parameter):
        width, height = self.rng.randrange(2, 40), self.rng.randrange(1, 20)
        parameter.need(width * height)
        dx, dy = self.rng.randrange(-2, 3), self.rng.randrange(-2, 3)
        row = f"clamp((int)get_global_id({1 if self.dims > 1 else 0}) + {dy}, 0, {height - 1})"
        return f"{row} * (int){self.constant(width, 'int')} + clamp((int)get_global_id(0) + {dx}, 0, {width - 1})"
