#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every kernel that has a merge function has it as PTX too, and nothing in there is to be found elsewhere or computes
with floats: the kernels of the sixteen workloads, of the tests of merge functions, and of the forced rungs.

usage: ptx_everywhere_test.py SKMD-COMPILE
"""
import pathlib
import re
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(TREE / "tests" / "driver"))
import merge_rungs_test  # noqa: E402

OPTIONS = {"fdtd3d.cl": ["-DRADIUS=4", "-DWIDTH=32", "-DHEIGHT=8"], "histogram.cl": ["-DITEMS=256"]}
TOO_MANY_PARAMETERS = {"too_many"}
FOREIGN = re.compile(r"\bcall\b|\.extern|\.func|\.f(16|32|64)\b|\bfma\b")


def printed(compiler, mode, path):
    command = [compiler, mode, path, *OPTIONS.get(path.name, [])]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def faults_of(compiler, path):
    """What is wrong with the file, and how many kernels were right."""
    wanted = set(re.findall(r"^; kernel (\w+): merge function", printed(compiler, "--merge", path), re.M)) - TOO_MANY_PARAMETERS
    ptx = printed(compiler, "--merge-ptx", path)
    found = set(re.findall(r"^\.entry skmd_merge_(\w+)\(", ptx, re.M))
    faults = [f"{path}: no PTX of {name}" for name in sorted(wanted - found)]
    faults += [f"{path}: PTX of {name}, which has no merge function" for name in sorted(found - wanted)]
    foreign = FOREIGN.search(ptx)
    if foreign:
        faults.append(f"{path}: {foreign.group(0)} in PTX")
    return faults, len(wanted & found)


def main():
    compiler = sys.argv[1]
    workloads = sorted((TREE / "bench" / "kernels").glob("*.cl"))
    files = workloads + sorted((TREE / "tests" / "compiler" / "merge").glob("*.cl"))
    faults, right = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        forced = pathlib.Path(scratch, "forced.cl")
        forced.write_text(merge_rungs_test.SOURCE)
        for path in [*files, forced]:
            more, count = faults_of(compiler, path)
            faults += more
            right += count
    print("\n".join(faults))
    print(f"{len(files) + 1} files, {right} merge kernels, {len(faults)} faults")
    return 1 if faults or len(workloads) < 16 or right < 60 else 0


if __name__ == "__main__":
    sys.exit(main())
