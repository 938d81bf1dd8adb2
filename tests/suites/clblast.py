# SPDX-License-Identifier: Apache-2.0
"""CLBlast's own correctness tests, against its reference BLAS: every routine of levels 1 to 3 and the extra ones."""
import re

from harness import Suite, Test

# Each binary tests its routine in all precisions that it has: half (not on PoCL), single, double, complex single and complex double.
ROUTINES = {
    "level 1": "xswap xscal xcopy xaxpy xdot xdotu xdotc xnrm2 xasum xamax",
    "level 2": "xgemv xgbmv xhemv xhbmv xhpmv xsymv xsbmv xspmv xtrmv xtbmv xtpmv xtrsv xger xgeru xgerc xher xhpr xher2 xhpr2 xsyr xspr xsyr2 xspr2",
    "level 3": "xgemm xsymm xhemm xsyrk xherk xsyr2k xher2k xtrmm xtrsm",
    "extra": "xhad xomatcopy xim2col xaxpybatched xgemmbatched xgemmstridedbatched",
}
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
    names = [name for level in ROUTINES.values() for name in level.split()]
    return [Test(name, (f"/usr/bin/clblast_test_{name}",), read) for name in names if not quick or name in QUICK]


SUITE = Suite("clblast", ("libclblast-dev", "clblast-tests"), tests, quick=True)
