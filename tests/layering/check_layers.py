#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the tree and fails on an include against the arrows of the house, rooms that may include each other, a file over the
cap, a forbidden word, or a mutex without annotations.

    check_layers.py [ROOT]

The arrows are in docs/architecture.md; a room may always include itself and the domain (partitioner/).
"""
import ast
import os
import re
import sys

# What a room may include besides itself. Rooms outside of the domain (partitioner/) may include all of the domain.
ALLOWED = {
    "partitioner/base": set(),
    "partitioner/traits": {"partitioner/base"},
    "partitioner/footprint": {"partitioner/base", "partitioner/traits"},
    "partitioner/residency": {"partitioner/base"},
    "partitioner/plan": {"partitioner/base"},
    "partitioner/merge": {"partitioner/base", "partitioner/traits", "partitioner/footprint", "partitioner/plan"},
    "partitioner/model": {"partitioner/base", "partitioner/footprint", "partitioner/plan"},
    "compiler/client": {"cpu-driver"},
    "compiler/rewrite": {"compiler/client"},
    "compiler/frontend": {"compiler/client", "compiler/rewrite"},
    "compiler/ir": {"compiler/client", "cpu-driver"},
    "compiler/analysis": {"compiler/ir"},
    "compiler/merge": {"compiler/client", "compiler/ir", "compiler/analysis", "cpu-driver"},
    "compiler/yield": {"compiler/client", "compiler/ir", "cpu-driver"},
    "compiler/opencl_c": {"compiler/client", "compiler/ir"},
    # The helper itself: all that it is made of.
    "compiler/tool": {"compiler/client", "compiler/frontend", "compiler/ir", "compiler/analysis", "compiler/merge",
                      "compiler/yield", "compiler/opencl_c", "cpu-driver/codegen", "cpu-driver/codegen/pipeline",
                      "cpu-driver"},
    # The format of span code, which one side writes and the other loads.
    "cpu-driver": set(),
    "cpu-driver/codegen": set(),
    "cpu-driver/codegen/check": {"cpu-driver/codegen", "cpu-driver/codegen/item", "cpu-driver", "compiler/ir"},
    "cpu-driver/codegen/library": {"cpu-driver/codegen", "cpu-driver", "compiler/ir"},
    "cpu-driver/codegen/masks": {"cpu-driver/codegen"},
    "cpu-driver/codegen/vector": {"cpu-driver/codegen", "cpu-driver", "compiler/ir"},
    "cpu-driver/codegen/packs": {"cpu-driver/codegen", "cpu-driver/codegen/vector"},
    "cpu-driver/codegen/item": {"cpu-driver/codegen", "cpu-driver/codegen/vector", "compiler/ir", "cpu-driver"},
    "cpu-driver/codegen/loops": {"cpu-driver/codegen", "cpu-driver/codegen/item", "cpu-driver/codegen/vector",
                                 "compiler/ir", "cpu-driver"},
    "cpu-driver/codegen/groups": {"cpu-driver/codegen", "cpu-driver/codegen/item", "cpu-driver/codegen/library",
                                  "cpu-driver/codegen/loops", "cpu-driver/codegen/masks", "cpu-driver/codegen/vector",
                                  "compiler/ir", "cpu-driver"},
    "cpu-driver/codegen/pipeline": {"cpu-driver/codegen", "cpu-driver/codegen/check", "cpu-driver/codegen/groups",
                                    "cpu-driver/codegen/item", "cpu-driver/codegen/library", "cpu-driver/codegen/loops",
                                    "cpu-driver/codegen/packs", "cpu-driver/codegen/vector", "compiler/client",
                                    "compiler/ir", "compiler/analysis", "compiler/opencl_c", "compiler/yield",
                                    "cpu-driver"},
    "cpu-driver/runtime": {"cpu-driver"},
    "intercept/observe": set(),
    "intercept/backend/port": {"cpu-driver/runtime", "cpu-driver"},
    "intercept/backend/vendor": {"intercept/backend/port", "compiler/client", "cpu-driver/runtime", "cpu-driver"},
    "intercept/backend/cpu": {"intercept/backend/port", "cpu-driver/runtime", "cpu-driver"},
    "intercept/backend/discovery": {"intercept/backend/port", "intercept/backend/vendor", "intercept/backend/cpu",
                                    "cpu-driver"},
    "intercept/calibration": {"intercept/backend/port", "intercept/backend/vendor"},
    "intercept/machine": {"intercept/backend/port", "intercept/backend/vendor", "intercept/observe", "compiler/client"},
    "intercept/memory": {"intercept/machine", "intercept/backend/port", "intercept/backend/vendor"},
    "intercept/object": {"intercept/memory", "intercept/machine", "intercept/backend/port", "intercept/backend/vendor",
                         "intercept/observe", "compiler/client"},
    "intercept/build": {"intercept/object", "intercept/machine", "intercept/backend/port", "intercept/backend/vendor",
                        "compiler/client"},
    "intercept/command": {"intercept/object", "intercept/memory", "intercept/backend/port", "intercept/backend/vendor"},
    # A launch fills the hidden record, whose layout the compiler's client declares.
    "intercept/launch": {"intercept/object", "intercept/memory", "intercept/machine", "intercept/backend/port",
                         "intercept/observe", "compiler/client", "profiler/checkpoint", "profiler/run_report",
                         "profiler/section_file"},
    "intercept/api": {"intercept/launch", "intercept/command", "intercept/build", "intercept/calibration",
                      "intercept/object", "intercept/memory", "intercept/machine", "intercept/backend/port",
                      "profiler/database"},
    "intercept/control": {"intercept/object", "intercept/memory", "intercept/machine", "intercept/backend/port",
                          "intercept/observe", "profiler/settings"},
    "profiler": {"compiler/client", "profiler/database", "profiler/settings"},
    # Content hashes, by which a sample is known.
    "profiler/database": {"compiler/client", "profiler/section_file"},
    "profiler/run_report": set(),
    "profiler/section_file": set(),
    # Fields of sections, one behind the other.
    "profiler/checkpoint": {"compiler/client", "profiler/section_file"},
    # The names of environment variables.
    "profiler/settings": set(),
    "profiler/serve": {"profiler/settings", "profiler"},
    "profiler/control": {"profiler/settings", "profiler"},
    "profiler/resume": {"profiler/checkpoint", "profiler/section_file", "profiler"},
    "profiler/commands": {"profiler/database", "profiler/run_report", "profiler/settings", "profiler"},
}
# The composition root (intercept/*.cpp itself), the tests and the micro-benchmarks may include all.
FREE = {"intercept", "tests", "bench/micro"}
# Applications: not even the domain.
NO_DOMAIN = {"bench"}
DOMAIN = "partitioner/"

# Libraries that one room alone knows, besides tests.
LIBRARIES = {"sqlite3.h": "profiler/database", "Eigen/": "partitioner/model"}

SOURCES = (".h", ".cpp", ".c", ".cl", ".inc", ".def", ".py", ".sh", ".cmake", ".txt", ".md")
LINE_CAP, PYTHON_FUNCTION_CAP = 400, 60  # clang-tidy caps functions of C++
CAPPED = (".h", ".cpp", ".c", ".cl", ".py", ".sh", ".cmake", "CMakeLists.txt")
WORDS = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b|/work" r"/(?:main|shared)|/root" r"/|/home" r"/\w")
# Such a mutex is seen by Clang's -Wthread-safety, and by what asserts the order of locks, as are waits with it and once flags.
MUTEX = "partitioner/base/mutex.h"
HAVE_BARE_MUTEXES = (MUTEX, "partitioner/base/condition.h", "partitioner/base/lock_order.h")
BARE_MUTEX = re.compile(r"\bstd::(?:(?:recursive_|timed_|recursive_timed_|shared_|shared_timed_)?mutex|lock_guard|scoped_lock|unique_lock|shared_lock"
                        r"|condition_variable(?:_any)?|once_flag|call_once)\b")
# What clang-tidy is not to say has its reason, on the line before the word or behind it.
NO_LINT = re.compile(r"// NOLINT(?:NEXTLINE)?\([\w.,-]+\)(?!: \w)|// NOLINT(?!(?:NEXTLINE)?\()")
# Programs of their own, which do not include the domain, and tests.
MAY_HAVE_BARE_MUTEXES = ("bench/", "tests/")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


# The longest prefix of a path is its room; what has none is free (scripts).
ROOMS = sorted({*ALLOWED, *FREE, *NO_DOMAIN}, key=len, reverse=True)
TOPS = {room.split("/")[0] for room in ALLOWED}


def room_of(path):
    return next((room for room in ROOMS if path == room or path.startswith(room + "/")), None)


def in_domain(room):
    return room.startswith(DOMAIN)


def included_room(folder, quoted, name, root):
    """The room that an include reaches; None for system and library headers."""
    beside = os.path.normpath(os.path.join(folder, name))
    if quoted and os.path.exists(os.path.join(root, beside)):
        return room_of(beside)
    if os.path.exists(os.path.join(root, name)) or quoted:
        return room_of(os.path.normpath(name))
    return None


def check_include(path, line_number, line, root):
    match = INCLUDE.match(line)
    room = room_of(path)
    if not match or room is None or room in FREE:
        return None
    for library, owner in LIBRARIES.items():
        if match.group(2).startswith(library) and room != owner:
            return f"{path}:{line_number}: only {owner} may include {match.group(2)}"
    target = included_room(os.path.dirname(path), match.group(1) == '"', match.group(2), root)
    if target is None or target == room:
        return None
    if in_domain(target) and not in_domain(room) and room not in NO_DOMAIN:
        return None
    if target in ALLOWED.get(room, set()):
        return None
    return f"{path}:{line_number}: {room} must not include {match.group(2)} ({target})"


def check_room(path):
    """Each folder with sources is a room of its own, where rooms have rules."""
    folder = os.path.dirname(path)
    if folder in ROOMS or not path.endswith((".h", ".cpp")) or path.split("/")[0] not in TOPS:
        return []
    return [f"{path}: {folder} is no room of check_layers.py"]


def check_functions(path, text):
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []  # a compiler's business
    sizes = [(node.name, node.lineno, node.end_lineno - node.lineno + 1) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [f"{path}:{line}: {name} has {size} lines, the cap is {PYTHON_FUNCTION_CAP}" for name, line, size in sizes if size > PYTHON_FUNCTION_CAP]


def check_file(path, root):
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().split("\n")
    except UnicodeDecodeError:
        return []
    faults = check_room(path)
    if path.endswith(CAPPED) and len(lines) - 1 > LINE_CAP:
        faults.append(f"{path}: {len(lines) - 1} lines, the cap is {LINE_CAP}")
    if path.endswith(".py"):
        faults += check_functions(path, "\n".join(lines))
    for number, line in enumerate(lines, 1):
        word = WORDS.search(line)
        if word:
            faults.append(f"{path}:{number}: forbidden: {word.group(0)}")
        if path.endswith((".h", ".cpp", ".c", ".inc", ".def")):
            fault = check_include(path, number, line, root)
            if fault:
                faults.append(fault)
            if NO_LINT.search(line):
                faults.append(f"{path}:{number}: say why: // NOLINT(check): reason")
            if BARE_MUTEX.search(line.split("//")[0]) and path not in HAVE_BARE_MUTEXES and not path.startswith(MAY_HAVE_BARE_MUTEXES):
                faults.append(f"{path}:{number}: mutexes are skmd::Mutex ({MUTEX}), waits skmd::Condition, once flags skmd::OnceFlag")
    return faults


def circles(allowed):
    """Rooms that may include each other, directly or by way of others: each circle once, as "a -> b -> a". Also by what stands in no list: free
    rooms include all, and all the domain."""
    found = [f"{room} -> {target} -> {room}" for room, targets in sorted(allowed.items()) for target in sorted(targets)
             if target in FREE or in_domain(room) and not in_domain(target)]

    def follow(way):
        for room in sorted(allowed.get(way[-1], ())):
            if room == way[0]:
                found.append(" -> ".join(way + [room]))
            elif room > way[0] and room not in way:  # each circle from its first room
                follow(way + [room])

    for start in sorted(allowed):
        follow([start])
    return found


def files_of(root):
    for folder, folders, names in os.walk(root):
        at_root = os.path.relpath(folder, root) == "."
        folders[:] = sorted(name for name in folders if name == ".ci" or not (
            name.startswith(".") or name == "__pycache__" or at_root and name == "build"))
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if name.endswith(SOURCES) or path == ".ci/run":
                yield path


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..", "..")
    paths = list(files_of(root))
    faults = [f"tests/layering/check_layers.py: rooms may include each other: {circle}" for circle in circles(ALLOWED)]
    faults += [fault for path in paths for fault in check_file(path, root)]
    for fault in faults:
        print(fault)
    print(f"{len(paths)} files, {len(faults)} faults")
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
