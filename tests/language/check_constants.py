#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Constants that decisions and speed depend on stand in *_constants.h and say where they come from; others say what they are: check_constants.py [ROOT]

In all rooms of the product. In a header *_constants.h each row of constants follows a comment with "Source:", and the files that the header names are there.
Elsewhere a constant of a number (kName of an arithmetic type or a duration, made of a literal from 2 on) has a comment on its line or above it: what must not be
moved, the sizes of formats, the limits of the system and of arithmetic, is told apart from what was chosen."""
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import tree  # noqa: E402

ROOMS = ("compiler/", "cpu-driver/", "intercept/", "partitioner/", "profiler/")
HEADER = "_constants.h"
ARITHMETIC = r"(?:auto|double|float|int|unsigned|(?:std::)?size_t|(?:std::)?u?int(?:max|\d+)_t|cl_u?(?:int|long)|std::chrono::\w+|[A-Z]\w*)"
CONSTANT = re.compile(rf"^\s*(?:static |inline )*constexpr (?:{ARITHMETIC}) k[A-Z]\w*\s*(?:=|\{{)(.*)$")
ANY_CONSTANT = re.compile(r"^inline constexpr .*\bk[A-Z]\w*\s*(?:=|\{)")
NUMBER = re.compile(r"(?<![\w.])(?:0x[0-9A-Fa-f]+|\d[\d']*(?:\.\d*)?(?:[eE][-+]?\d+)?)")
PATH = re.compile(r"\b(?:docs|bench|compiler|cpu-driver|tests|partitioner|profiler|intercept|scripts|profiles)/[\w./-]*\w")


def is_number(value):
    """Whether the initialiser is made of a literal from 2 on, or of a fraction."""
    code = value.split("//")[0]
    if '"' in code or "'" in NUMBER.sub("", code) or "sizeof" in code or "|" in code:
        return False
    literals = [match.group() for match in NUMBER.finditer(code)]
    return any(not re.fullmatch(r"0x[fF]+u?|[01]", literal) for literal in literals)


def unexplained(path, lines):
    """Constants without a comment on their line, above it, or above the row of constants that they are in."""
    faults, explained = [], False
    for number, line in enumerate(lines, 1):
        text = line.strip()
        found = CONSTANT.match(line)
        if text.startswith("//"):
            explained = True
        elif found and is_number(found.group(1)) and "//" not in line and not explained:
            faults.append(f"{path}:{number}: say what this number is, or move it to the room's {HEADER}: {text}")
        elif not found:
            explained = False
    return faults


def without_source(path, lines, root):
    faults, comment, has_source = [], [], False
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith("//"):
            comment.append(text.lstrip("/ "))
            has_source = "Source:" in " ".join(comment)
        elif not text:
            comment, has_source = [], False
        else:
            comment = []
            if ANY_CONSTANT.match(line) and not has_source:
                faults.append(f"{path}:{number}: the comment above names no \"Source:\": {text}")
    for named in sorted(set(PATH.findall("\n".join(line for line in lines if line.strip().startswith("//"))))):
        if not any(os.path.exists(os.path.join(root, named + end)) for end in ("", ".cpp", ".h")):
            faults.append(f"{path}: there is no {named}")
    return faults


def check(root):
    faults, headers = [], 0
    for path in tree.files_of(root):
        if not path.startswith(ROOMS) or not path.endswith((".h", ".cpp")):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().split("\n")
        if path.endswith(HEADER):
            headers += 1
            faults += without_source(path, lines, root)
        else:
            faults += unexplained(path, lines)
    return faults, headers


def main():
    faults, headers = check(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", ".."))
    return tree.report(faults, f"{headers} headers of constants")


if __name__ == "__main__":
    sys.exit(main())
