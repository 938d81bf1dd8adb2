#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels of merge_rungs_test.py as merge kernels on an NVIDIA GPU (merge_kernels.cpp). Without one: exit status 77.

usage: merge_kernels_test.py SKMD-COMPILE MERGE_KERNELS
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import merge_rungs_test as rungs  # noqa: E402


def triple(sizes, filler):
    return list(sizes or ()) + [filler] * (3 - len(sizes or ()))


def case(name):
    size, local, offset = rungs.CASES[name][0]
    return " ".join(map(str, [name, len(size), *triple(size, 1), *triple(local, 1), *triple(offset, 0)]))


def main():
    compiler, program = sys.argv[1:]
    # The first adds to what was there, the second races for one place: two runs have not the same result.
    unlike = ("in_place", "structures")
    names = [name for name, (_, able, _) in rungs.CASES.items() if "kernel" in able.split() and name not in unlike]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "kernels.cl").write_text(rungs.SOURCE)
        (folder / "cases").write_text("".join(case(name) + "\n" for name in names))
        ptx = subprocess.run([compiler, "--merge-ptx", folder / "kernels.cl"], check=True, capture_output=True).stdout
        (folder / "merge.ptx").write_bytes(ptx)
        missing = [name for name in names if f".entry skmd_merge_{name}(".encode() not in ptx]
        if missing:
            print("no merge kernel of", ", ".join(missing))
            return 1
        return subprocess.run([program, folder / "kernels.cl", folder / "merge.ptx", folder / "cases"]).returncode


if __name__ == "__main__":
    sys.exit(main())
