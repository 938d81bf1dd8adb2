# SPDX-License-Identifier: Apache-2.0
"""clpeak: every figure that it can measure on PoCL, it can measure here."""
import re

from harness import Suite, Test

_SECTION = re.compile(r"^ {4}(\S[^:]*)")
_FIGURE = re.compile(r"^ +(\S.*?)\s*: (-?[\d.]+(?:e[+-]?\d+)?)( us)?$")
OPTIONS = ("global-bandwidth", "compute-sp", "compute-dp", "compute-integer", "compute-intfast", "transfer-bandwidth", "kernel-latency")
QUICK = ("transfer-bandwidth", "kernel-latency")


def read(finished):
    outcomes = {"exit": "pass" if finished.status == 0 else "fail"}
    section = ""
    for line in finished.output.splitlines():
        if match := _SECTION.match(line):
            section = match[1].strip()
        if match := _FIGURE.match(line):
            name = section if section == match[1] else f"{section}: {match[1]}"
            outcomes[name] = "pass" if float(match[2]) > 0 else "fail"
    return outcomes


def tests(quick):
    return [Test(option, ("clpeak", f"--{option}"), read) for option in (QUICK if quick else OPTIONS)]


SUITE = Suite("clpeak", ("clpeak",), tests)
