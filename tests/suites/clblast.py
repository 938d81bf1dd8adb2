# SPDX-License-Identifier: Apache-2.0
"""CLBlast's own correctness tests, against its reference BLAS: every routine of levels 1 to 3 and the extra ones."""
import glob
import os
import re

from harness import Suite, Test

QUICK = ("xaxpy",)
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ROUTINE = re.compile(r"Starting tests for the '(\w+)' routine")
_SECTION = re.compile(r"Testing '(.*)' for '(.*)'")
_CASES = re.compile(r"^   ([:.X/\\o-]+)$")
_VERDICT = {":": "pass", ".": "pass", "X": "fail", "/": "fail", "\\": "skip", "o": "skip", "-": "skip"}


def read(finished):
    """One outcome for each case, which the tests print as one character; and one for the end of the process."""
    outcomes = {"exit": "pass" if finished.status == 0 else "fail"}
    routine = section = ""
    count = 0
    for line in _COLOUR.sub("", finished.output).splitlines():
        if match := _ROUTINE.search(line):
            routine, section = match[1], ""
        elif match := _SECTION.search(line):
            section, count = f"{match[1]} {match[2]}", 0
        elif (match := _CASES.match(line)) and section:
            for character in match[1]:
                outcomes[f"{routine} {section} {count}"] = _VERDICT[character]
                count += 1
    return outcomes


def tests(quick):
    binaries = sorted(glob.glob("/usr/bin/clblast_test_*"))
    if quick:
        binaries = [path for path in binaries if os.path.basename(path).removeprefix("clblast_test_") in QUICK]
    return [Test(os.path.basename(path).removeprefix("clblast_test_"), (path,), read, timeout=1200) for path in binaries]


SUITE = Suite("clblast", ("libclblast-dev", "clblast-tests"), tests, quick=True)
