# SPDX-License-Identifier: Apache-2.0
"""piglit's OpenCL tests: its API programs, its hand-written kernels and those that it generates for built-in functions."""
import ast
import gzip
import json
import os
import re
import xml.etree.ElementTree

from harness import Suite, Test

# By last part of the name: built-in functions over types, stores over widths, loads and stores of vectors and atomics over address spaces.
_FAMILIES = tuple(map(re.compile, (r"(atomic_\w+?)-(?:global|local)", r"builtin-(shuffle2?)-(\w+)-", r"builtin-\w+?-(\w+)[-.]",
                                   r"(store)-([a-z]+)\d*-(\w+)$", r"(v(?:load|store)a?_?(?:half)?)-(\w+)-")))
ROOT = "/usr/lib/x86_64-linux-gnu/piglit"


def read(finished):
    """piglit's protocol: lines `PIGLIT: {...}`, one for each sub-test and one for the whole."""
    outcomes = {}
    for line in finished.output.splitlines():
        if not line.startswith("PIGLIT: "):
            continue
        said = json.loads(line.removeprefix("PIGLIT: "))
        outcomes |= said.get("subtest", {})
        if "result" in said:
            outcomes[""] = said["result"]
    if finished.status != 0 and outcomes.get("", "pass") == "pass":
        outcomes[""] = "crash" if finished.status is not None else "timeout"
    return outcomes


def _command(element):
    options = {option.get("name"): ast.literal_eval(option.get("value")) for option in element}
    if element.get("type") == "cl":
        return [os.path.join(ROOT, "bin", options["command"][0]), *options["command"][1:]]
    return [os.path.join(ROOT, "bin", "cl-program-tester"), os.path.join(ROOT, options["filename"])]


def _family(name):
    """Generated programs differ in a type, a width or an address space only. Those of one family test the same thing; None: of no family."""
    last = name.split("@")[-1]
    for family in _FAMILIES:
        if match := family.match(last):
            return match.groups()
    return None


def selected(names):
    """All that people wrote, and of each family one member, another one each time, so that every type, width and address space occurs."""
    families = {}
    for name in names:
        families.setdefault(_family(name) or name, []).append(name)
    return {members[number % len(members)] for number, members in enumerate(families.values())}


def tests(quick):
    with gzip.open(os.path.join(ROOT, "tests", "cl.xml.gz")) as file:
        elements = xml.etree.ElementTree.parse(file).getroot()
    names = selected([element.get("name") for element in elements])
    return [Test(element.get("name"), tuple(_command(element)), read, cwd=ROOT) for element in elements if element.get("name") in names]


SUITE = Suite("piglit", ("piglit",), tests)
