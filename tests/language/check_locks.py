#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The order of locks is said once, in partitioner/base/lock_order.def; the code and docs/threads.md have the same: check_locks.py [ROOT]

Each rank belongs to one mutex or once flag of the code, with the class and the name that its row says. The page's section "Lock order" has a table, whose first
cell is the level (empty: as above) and whose second one names the mutexes of the level, and a paragraph that begins with "Leaves" and names these."""
import collections
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import tree  # noqa: E402

ORDER, HEADER, PAGE = "partitioner/base/lock_order.def", "partitioner/base/lock_order.h", "docs/threads.md"
ROOMS = ("compiler/", "cpu-driver/", "intercept/", "partitioner/", "profiler/")
ROW = re.compile(r'^SKMD_LOCK\((\d+), (\w+), "(.+)"\)$|^SKMD_LEAF\((\w+), "(.+)"\)$')
LEAF = "leaf"
MADE = re.compile(r"\b(?:Mutex|OnceFlag) (\w+)[{(]LockRank::(\w+)|\b(\w+)\[[^=;]*\] = std::make_shared<Mutex>\(LockRank::(\w+)")
TAKEN = re.compile(r"\bexpect_may_take\(LockRank::(\w+)\)")
USED = re.compile(r"\bLockRank::(\w+)")
QUOTED = re.compile(r"`([^`]*)`")

Lock = collections.namedtuple("Lock", "level rank name")


def lines_of(root, path):
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            return file.read().split("\n")
    except FileNotFoundError:
        return []


def locks_of(lines):
    """The rows, and faults of their form and order."""
    locks, faults = [], []
    for number, line in enumerate(lines, 1):
        row = ROW.match(line)
        if row:
            level, rank, name, leaf, leaf_name = row.groups()
            locks.append(Lock(LEAF if leaf else int(level), leaf or rank, leaf_name or name))
        elif line.startswith("SKMD_"):
            faults.append(f"{ORDER}:{number}: is no row: {line}")
    levels = [1 << 30 if lock.level == LEAF else lock.level for lock in locks]
    if levels != sorted(levels):
        faults.append(f"{ORDER}: the levels do not ascend")
    for field in ("rank", "name"):
        counts = collections.Counter(getattr(lock, field) for lock in locks)
        faults += [f"{ORDER}: two rows have the {field} {value}" for value, count in counts.items() if count > 1]
    return locks, faults


def in_code(root, locks):
    """Faults of what has the ranks."""
    known = {lock.rank: lock for lock in locks}
    faults, places = [], collections.defaultdict(list)
    for path in tree.files_of(root):
        if not path.startswith(ROOMS) or not path.endswith((".h", ".cpp")) or path == HEADER:
            continue
        lines = [line.split("//")[0] for line in lines_of(root, path)]
        text = "\n".join(lines)
        classes = set(re.findall(r"\b(?:class|struct) (?:[\w:]+::)?(\w+)", text))
        for number, line in enumerate(lines, 1):
            ranks = set(TAKEN.findall(line))
            for rank in ranks & set(known):
                places[rank] = places[rank] or [f"{path}:{number}"]
            for made in MADE.finditer(line):
                member, rank = [group for group in made.groups() if group]
                ranks.add(rank)
                if rank not in known:
                    continue
                places[rank].append(f"{path}:{number}")
                *owners, name = known[rank].name.split("::")
                if name != member or owners and owners[-1] not in classes:
                    faults.append(f"{path}:{number}: {ORDER} has the rank {rank} for {known[rank].name}")
            faults += [f"{path}:{number}: LockRank::{rank} is given to no mutex here" for rank in USED.findall(line) if rank not in ranks]
            faults += [f"{path}:{number}: {ORDER} has no rank {rank}" for rank in sorted(ranks - set(known))]
    for lock in locks:
        if not places[lock.rank]:
            faults.append(f"{ORDER}: the code has no mutex of the rank {lock.rank}")
        elif len(places[lock.rank]) > 1:
            faults.append(f"{places[lock.rank][1]}: the rank {lock.rank} is that of {places[lock.rank][0]}")
    return faults


def names_in(text):
    """What is quoted and no path."""
    return {quoted for quoted in QUOTED.findall(text) if "/" not in quoted}


def on_page(lines, locks):
    """Faults of the page: what each level has there and in the order."""
    there, level, inside = collections.defaultdict(set), None, False
    for line in lines:
        inside = line == "## Lock order" or inside and not line.startswith("## ")
        cells = [cell.strip() for cell in line.split("|")]
        if inside and line.startswith("| ") and len(cells) > 3:
            level = int(cells[1]) if cells[1].isdigit() else level
            there[level] |= names_in(cells[2])
        if inside and line.startswith("Leaves"):
            there[LEAF] |= names_in(line)
    here = collections.defaultdict(set)
    for lock in locks:
        here[lock.level].add(lock.name)
    faults = []
    for level in sorted(set(there) | set(here), key=str):
        faults += [f"{PAGE}: level {level} lacks {name} ({ORDER})" for name in sorted(here[level] - there[level])]
        faults += [f"{PAGE}: {name} has another level than {level} in {ORDER}, or none" for name in sorted(there[level] - here[level])]
    return faults


def check(root):
    locks, faults = locks_of(lines_of(root, ORDER))
    return faults + in_code(root, locks) + on_page(lines_of(root, PAGE), locks), len(locks)


def main():
    faults, count = check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", ".."))
    return tree.report(faults, f"{count} locks") or (0 if count else 1)


if __name__ == "__main__":
    sys.exit(main())
