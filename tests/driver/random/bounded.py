# SPDX-License-Identifier: Apache-2.0
"""Index expressions whose range is known while they are written, so that nothing has to be cut off at the end: what footprints
are computed from. Written in int, long, uint or ulong; in the unsigned ones differences wrap and come back."""
from dataclasses import dataclass

from model import UNSIGNED

NARROW = {"uchar": (0, 255), "char": (-128, 127), "ushort": (0, 65535), "short": (-32768, 32767)}
MOST = 1 << 26  # magnitude of any step, so that int never overflows


@dataclass
class Bounded:
    text: str
    low: int
    high: int

    @property
    def size(self):
        return max(abs(self.low), abs(self.high))


def quotient(value, divisor):
    return value // divisor if value >= 0 else -(-value // divisor)


class BoundedExpressions:
    """Mixed into Writer."""

    def bounded(self, limit, depth=3):
        """An index from 0 to at most limit-1, as (text, exclusive bound)."""
        kind = self.rng.choice(["int", "int", "uint", "long", "ulong"])
        made = self.bounded_step(kind, depth)
        if made.low != 0 and (made.low < 0 or self.chance(50)):
            made = self.shifted(kind, made, -made.low)
        if made.high >= limit:
            made = self.cut(kind, made, limit)
        return made.text, made.high + 1

    def cut(self, kind, made, limit):
        if self.chance(50):
            return Bounded(f"({made.text} % ({kind}){self.constant(limit)})", 0, limit - 1)
        return Bounded(f"min({made.text}, ({kind}){self.constant(limit - 1)})", made.low if made.low < limit else limit - 1, limit - 1)

    def shifted(self, kind, made, by):
        sign = "+" if by >= 0 else "-"
        return Bounded(f"({made.text} {sign} ({kind}){self.constant(abs(by))})", made.low + by, made.high + by)

    def bounded_leaf(self, kind):
        rng, ranges = self.rng, self.ranges
        dim = rng.randrange(self.dims)
        choice = rng.randrange(12)
        if choice < 4:
            return Bounded(f"({kind})get_global_id({dim})", min(r.of("offset", dim) for r in ranges), self.limit(dim) - 1)
        if choice < 6 and self.local_known:
            return Bounded(f"({kind})get_group_id({dim})", 0, max(r.of("groups", dim) for r in ranges) - 1)
        if choice < 7 and self.local_known:
            return Bounded(f"({kind})get_local_id({dim})", 0, max(r.of("local", dim) for r in ranges) - 1)
        if choice < 9 and self.loops:
            name, trips = rng.choice(self.loops)
            return Bounded(f"({kind}){name}", 0, trips - 1)
        if choice < 10:
            sizes = [r.size(dim) for r in ranges]
            return Bounded(f"({kind})get_global_size({dim})", min(sizes), max(sizes))
        if choice == 10:
            self.uses("indirect")
            read = self.add(role="read", type=rng.choice(["uchar", "char"]), elements=self.items)
            low, high = NARROW[read.type]
            if kind not in UNSIGNED.values():
                return Bounded(f"({kind}){read.name}[{self.linear()}]", low, high)
            return Bounded(f"({kind})(uchar){read.name}[{self.linear()}]", 0, 255)
        return Bounded(f"({kind}){self.linear()}", 0, self.items - 1)

    def bounded_step(self, kind, depth):
        if depth == 0 or self.chance(15):
            return self.bounded_leaf(kind)
        step = self.rng.choice([self.sum, self.sum, self.difference, self.product, self.divided, self.remainder, self.masked, self.extreme,
                                self.chosen, self.narrowed, self.hashed, self.multiplied])
        made = step(kind, depth - 1)
        return made if made.size < MOST else self.bounded_leaf(kind)

    def sum(self, kind, depth):
        a, b = self.bounded_step(kind, depth), self.bounded_step(kind, depth)
        return Bounded(f"({a.text} + {b.text})", a.low + b.low, a.high + b.high)

    def difference(self, kind, depth):
        a, b = self.bounded_step(kind, depth), self.bounded_step(kind, depth)
        made = Bounded(f"({a.text} - {b.text})", a.low - b.high, a.high - b.low)
        if kind in UNSIGNED.values() and made.low < 0:
            self.uses("wrapping")
            return self.shifted(kind, made, -made.low)
        return made

    def product(self, kind, depth):
        a, factor = self.bounded_step(kind, depth), self.rng.choice([2, 3, 4, 5, 7, 16])
        if kind not in UNSIGNED.values() and self.chance(20):
            return Bounded(f"({a.text} * -{factor})", -a.high * factor, -a.low * factor)
        return Bounded(f"({a.text} * ({kind}){self.constant(factor)})", a.low * factor, a.high * factor)

    def multiplied(self, kind, depth):
        a, b = self.bounded_step(kind, depth), self.bounded_leaf(kind)
        ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return Bounded(f"({a.text} * {b.text})", min(ends), max(ends))

    def divided(self, kind, depth):
        a, by = self.bounded_step(kind, depth), self.rng.choice([2, 3, 4, 7, 8, 10])
        if self.chance(40):
            shift = self.rng.choice([1, 2, 3])
            return Bounded(f"({a.text} >> {shift})", a.low >> shift, a.high >> shift)
        return Bounded(f"({a.text} / ({kind}){self.constant(by)})", quotient(a.low, by), quotient(a.high, by))

    def remainder(self, kind, depth):
        a, by = self.bounded_step(kind, depth), self.rng.choice([2, 3, 5, 8, 13, 64, 100])
        low = max(a.low, 1 - by) if a.low < 0 else 0
        high = min(a.high, by - 1) if a.high > 0 else 0
        return Bounded(f"({a.text} % ({kind}){self.constant(by)})", low, high)

    def masked(self, kind, depth):
        a, mask = self.bounded_step(kind, depth), self.rng.choice([1, 3, 7, 15, 31, 63, 255, 1023])
        return Bounded(f"({a.text} & {mask})", 0, mask)

    def extreme(self, kind, depth):
        a, b = self.bounded_step(kind, depth), self.bounded_step(kind, depth)
        if self.chance(50):
            return Bounded(f"min({a.text}, {b.text})", min(a.low, b.low), min(a.high, b.high))
        return Bounded(f"max({a.text}, {b.text})", max(a.low, b.low), max(a.high, b.high))

    def chosen(self, kind, depth):
        a, b = self.bounded_step(kind, depth), self.bounded_step(kind, depth)
        return Bounded(f"({self.condition(0)} ? {a.text} : {b.text})", min(a.low, b.low), max(a.high, b.high))

    def narrowed(self, kind, depth):
        """Through a narrower type: unchanged if it fits, else wrapped."""
        a, narrow = self.bounded_step(kind, depth), self.rng.choice(list(NARROW))
        low, high = NARROW[narrow]
        if a.low >= low and a.high <= high:
            return Bounded(f"({kind})({narrow}){a.text}", a.low, a.high)
        self.uses("wrapping")
        if kind in UNSIGNED.values() and low < 0:
            narrow, low, high = "u" + narrow, 0, high * 2 + 1
        return Bounded(f"({kind})({narrow}){a.text}", low, high)

    def hashed(self, kind, depth):
        """The upper bits of a product that wraps."""
        self.uses("wrapping")
        a, bits = self.bounded_step(kind, depth), self.rng.choice([3, 6, 10])
        return Bounded(f"({kind})(((uint){a.text} * {self.rng.choice(['2654435761u', '0x9e3779b1u'])}) >> {32 - bits})", 0, (1 << bits) - 1)
