# SPDX-License-Identifier: Apache-2.0
"""How the kernels of a case become a program: one text, or several that are compiled with their own options and linked, some of it in
headers on disk. A source is one text for all that, parted by lines of its own, which random_cases carries out:

    // header NAME      what follows is a file of a folder of -I, gone before the program is linked
    // program OPTIONS  what follows is the program, built at once
    // unit OPTIONS     what follows is one unit

A source without any is a program without options."""
from model import PREAMBLE

COMMON = "common.h"
# With a value that no case gives: what loses an option computes something else.
DEFAULTS = "#ifndef TERM\n#define TERM 77u\n#endif\n#ifndef BY\n#define BY 2\n#endif\n"


def options(rng):
    """Macros that kernels use in expressions and in pragmas, and what changes no exact result."""
    words = [f"-DTERM={rng.randrange(1, 1 << 16)}u"] if rng.random() < 0.8 else []
    words += [f"-DBY={rng.choice([1, 2, 3, 4, 8])}"] if rng.random() < 0.8 else []
    words += [rng.choice(["-cl-mad-enable", "-cl-no-signed-zeros", "-w", "-cl-kernel-arg-info"])] if rng.random() < 0.4 else []
    rng.shuffle(words)
    return " ".join(words)


def with_outer(kernels):
    return [text for kernel in kernels for text in (kernel.text, kernel.outer) if text]


def one_program(rng, kernels, common):
    body = "\n".join(with_outer(kernels))
    if common:
        return f"// header {COMMON}\n{PREAMBLE}{DEFAULTS}// program {options(rng)}\n#include \"{COMMON}\"\n{body}"
    if rng.random() < 0.5:
        return f"// program {options(rng)}\n{PREAMBLE}{DEFAULTS}{body}"
    return PREAMBLE + DEFAULTS + body


def several_units(rng, kernels, common):
    bodies = [[] for _ in range(rng.choice([2, 2, 3]))]
    order = list(kernels)
    rng.shuffle(order)
    for number, kernel in enumerate(order):
        at = number % len(bodies)
        bodies[at].append(kernel.text)
        if not kernel.outer:
            continue
        if rng.random() < 0.5:
            bodies[at].append(kernel.outer)
        else:
            kernel.features.add("kernel_of_another_unit")
            bodies[(at + 1) % len(bodies)].append(kernel.declaration + kernel.outer)
    head = f"#include \"{COMMON}\"\n" if common else PREAMBLE + DEFAULTS
    text = f"// header {COMMON}\n{PREAMBLE}{DEFAULTS}" if common else ""
    return text + "\n".join(f"// unit {options(rng)}\n{head}" + "\n".join(body) for body in bodies)


def program_text(rng, kernels):
    several, common = rng.random() < 0.3, rng.random() < 0.35
    for kernel in kernels:
        kernel.features.update(["units"] * several + ["header_on_disk"] * common)
    return several_units(rng, kernels, common) if several else one_program(rng, kernels, common)


def parts(source):
    """(headers, units) of a source: {name: text}, and [(options, text)], one of each unit or one of the whole program."""
    headers, units, rest = {}, [], []
    target = rest
    for line in source.splitlines(keepends=True):
        words = line.split(maxsplit=2)
        kind = words[1] if len(words) > 1 and words[0] == "//" else ""
        if kind == "header":
            target = headers.setdefault(words[2].strip(), [])
        elif kind in ("program", "unit"):
            target = []
            units.append((words[2].strip() if len(words) > 2 else "", target))
        else:
            target.append(line)
    units = units or [("", rest)]
    return {name: "".join(text) for name, text in headers.items()}, [(options, "".join(text)) for options, text in units]
