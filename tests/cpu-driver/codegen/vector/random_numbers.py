# SPDX-License-Identifier: Apache-2.0
"""The part of random_function.py's functions that only computes: numbers of every type, and places in tables."""

TABLE = 4096  # elements of each input table; every index is within
OUTPUT = 64   # bytes of output for each item and slot
SLOTS = 16
ITEMS = 400
INTS = ["i8", "i16", "i32", "i64"]
FLOATS = ["float", "double"]
SIZE = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "double": 8}
BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}


class Numbers:
    """A function that is being written; `lines` have the masked form, in which {…} marks what the two texts differ in."""

    def __init__(self, rng, number, lanes):
        self.rng, self.number, self.lanes = rng, number, lanes
        self.lines, self.count, self.block = [], 0, "entry"
        self.entry, self.stores, self.eaches = [], 0, []
        self.pool = {kind: [] for kind in INTS + FLOATS + ["i1"]}
        self.mask = "%live"

    def name(self, hint="v"):
        self.count += 1
        return f"%{hint}{self.count}"

    def emit(self, text, hint="v"):
        result = self.name(hint)
        self.lines.append(f"  {result} = {text}")
        return result

    def start(self, block):
        self.lines.append(f"{block}:")
        self.block = block

    def add(self, kind, value):
        self.pool[kind].append(value)
        return value

    def value(self, kind):
        if self.pool[kind] and self.rng.random() < 0.9:
            recent = self.pool[kind][-6:] if self.rng.random() < 0.5 else self.pool[kind]
            return self.rng.choice(recent)
        if kind == "i1":
            return self.rng.choice(["true", "false"])
        if kind in FLOATS:
            return self.rng.choice(["1.5", "-2.0", "0.25", "3.0"])
        return str(self.rng.randrange(-100, 100))

    # A number that is id * stride + constant modulo the type's size, most often linear in the lane.
    def linear(self, kind):
        base = "%id" if kind == "i64" else self.emit(f"trunc i64 %id to {kind}")
        for _ in range(self.rng.randrange(3)):
            how = self.rng.randrange(5)
            if how == 0:
                base = self.emit(f"add {kind} {base}, {self.rng.randrange(-120, 120)}")
            elif how == 1:
                base = self.emit(f"mul {kind} {base}, {self.rng.choice([2, 3, 4, -1, -2, 5])}")
            elif how == 2:
                base = self.emit(f"shl {kind} {base}, {self.rng.randrange(1, 4)}")
            elif how == 3:
                base = self.emit(f"sub {kind} {self.rng.randrange(120)}, {base}")
            else:
                narrow = "%u32" if kind == "i32" else self.emit(
                    f"{'sext' if kind == 'i64' else 'trunc'} i32 %u32 to {kind}")
                base = self.emit(f"add {kind} {base}, {narrow}")
        return base

    # Within the table, by wrapping in a narrow type, by masking, or because it is small anyway.
    def index(self, varying=True):
        how = self.rng.randrange(9 if varying else 1)
        if how == 0:
            return self.emit(f"and i64 %uniform, {TABLE - 1}")
        if how == 1:
            return self.emit(f"zext i8 {self.linear('i8')} to i64")
        if how == 2:
            signed = self.emit(f"sext i8 {self.linear('i8')} to i64")
            return self.emit(f"add i64 {signed}, 128")
        if how == 3:
            return self.emit(f"add i64 %id, {self.rng.randrange(1000)}")
        if how == 4:
            kind = self.rng.choice(["i16", "i32"])
            narrow = self.emit(f"trunc nuw nsw i64 %id to {kind}")
            narrow = self.emit(f"add {self.rng.choice(['nsw', 'nuw nsw', ''])} {kind} {narrow}, "
                               f"{self.rng.randrange(100)}")
            factor = self.rng.choice([1, 1, 2, 3])
            narrow = self.emit(f"mul nuw nsw {kind} {narrow}, {factor}")
            return self.emit(f"{self.rng.choice(['sext', 'zext', 'zext nneg'])} {kind} {narrow} to i64")
        if how == 5:
            back = self.emit("sub i64 %last, %id")
            return self.emit(f"add i64 {back}, {self.rng.randrange(50)}")
        if how == 6:
            left = self.emit("shl i64 %id, 32")
            return self.emit(f"{self.rng.choice(['ashr', 'lshr'])} exact i64 {left}, {self.rng.randrange(30, 33)}")
        kind = self.rng.choice(INTS)
        number = self.value(kind)
        wide = number if kind == "i64" else self.emit(f"zext {kind} {number} to i64")
        return self.emit(f"and i64 {wide}, {TABLE - 1}")

    def arithmetic(self):
        kind = self.rng.choice(INTS + ["i32"] + FLOATS)
        left, right = self.value(kind), self.value(kind)
        if kind in FLOATS:
            operation = self.rng.choice(["fadd", "fsub", "fmul", "fdiv"])
            self.add(kind, self.emit(f"{operation} {kind} {left}, {right}"))
            return
        operation = self.rng.choice(["add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem",
                                     "sdiv", "srem"])
        if operation in ("shl", "lshr", "ashr"):
            right = self.emit(f"and {kind} {right}, {BITS[kind] - 1}")
        elif operation in ("udiv", "urem"):
            right = self.emit(f"or {kind} {right}, 1")
        elif operation in ("sdiv", "srem"):
            right = self.emit(f"or {kind} {right}, 1")
            right = self.emit(f"and {kind} {right}, {(1 << (BITS[kind] - 1)) - 1}")
        self.add(kind, self.emit(f"{operation} {kind} {left}, {right}"))

    def cast(self):
        source, target = self.rng.sample(INTS + FLOATS, 2)
        value = self.value(source)
        if source in INTS and target in INTS:
            word = "trunc" if BITS[source] > BITS[target] else self.rng.choice(["sext", "zext"])
        elif source in INTS:
            word = self.rng.choice(["sitofp", "uitofp"])
        elif target in FLOATS:
            word = "fpext" if source == "float" else "fptrunc"
        else:
            small = self.emit(f"fcmp olt {source} {value}, 100.0")
            large = self.emit(f"fcmp ogt {source} {value}, 0.0")
            inside = self.emit(f"and i1 {small}, {large}")
            value = self.emit(f"select i1 {inside}, {source} {value}, {source} 3.0")
            word = self.rng.choice(["fptosi", "fptoui"])
        self.add(target, self.emit(f"{word} {source} {value} to {target}"))

    def compare(self):
        kind = self.rng.choice(INTS + FLOATS)
        if kind in FLOATS:
            word = "fcmp " + self.rng.choice(["olt", "oge", "une", "oeq", "ult"])
        else:
            word = "icmp " + self.rng.choice(["eq", "ne", "slt", "ult", "sge", "ugt"])
        self.add("i1", self.emit(f"{word} {kind} {self.value(kind)}, {self.value(kind)}"))

    def select(self):
        kind = self.rng.choice(INTS + FLOATS + ["i1"])
        self.add(kind, self.emit(f"select i1 {self.value('i1')}, {kind} {self.value(kind)}, {kind} {self.value(kind)}"))

    def intrinsic(self):
        kind = self.rng.choice(INTS + FLOATS)
        if kind in FLOATS:
            name, count = self.rng.choice([("fma", 3), ("fabs", 1), ("floor", 1), ("sqrt", 1), ("copysign", 2)])
            suffix = "f32" if kind == "float" else "f64"
        else:
            name, count = self.rng.choice([("ctpop", 1), ("smax", 2), ("umin", 2), ("fshl", 3), ("sadd.sat", 2),
                                           ("bitreverse", 1)])
            suffix = kind
        arguments = ", ".join(f"{kind} {self.value(kind)}" for _ in range(count))
        self.add(kind, self.emit(f"call {kind} @llvm.{name}.{suffix}({arguments})"))
