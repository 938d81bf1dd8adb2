# SPDX-License-Identifier: Apache-2.0
"""clinfo: every property that PoCL answers is answered here too, and the text for people can be written."""
import re

from harness import Suite, Test

_PROPERTY = re.compile(r"^(?:\[\S+\])?\s*(CL_\w+)\s+(.*)$")


def read(finished):
    outcomes = {"exit": "pass" if finished.status == 0 else "fail"}
    for line in finished.output.splitlines():
        if match := _PROPERTY.match(line):
            outcomes[match[1]] = "fail" if "clGet" in match[2] or "error" in match[2].lower() else "pass"
    return outcomes


def tests(quick):
    return [Test("raw", ("clinfo", "--raw"), read), Test("human", ("clinfo",)), Test("list", ("clinfo", "--list"))]


SUITE = Suite("clinfo", ("clinfo",), tests, quick=True)
