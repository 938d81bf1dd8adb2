# SPDX-License-Identifier: Apache-2.0
"""piglit's OpenCL tests: its API programs, its hand-written kernels and those that it generates for built-in functions."""
import ast
import gzip
import json
import os
import xml.etree.ElementTree

from harness import Suite, Test

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


def tests(quick):
    with gzip.open(os.path.join(ROOT, "tests", "cl.xml.gz")) as file:
        elements = xml.etree.ElementTree.parse(file).getroot()
    return [Test(element.get("name"), tuple(_command(element)), read, cwd=ROOT) for element in elements]


SUITE = Suite("piglit", ("piglit",), tests)
