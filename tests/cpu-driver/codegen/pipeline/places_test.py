#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Line tables change no code: each kernel's assembly with and without them, byte for byte.

usage: places_test.py SKMD-COMPILE FILE.cl...
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from bench_kernels import MACROS  # noqa: E402


def output(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    compiler, files = sys.argv[1], sys.argv[2:]
    kernels = failures = 0
    for path in files:
        names = re.findall(r"^kernel (\w+)", output([compiler, "--describe", path, *MACROS]), re.M)
        for name in names:
            kernels += 1
            with_places, without = (
                output([compiler, "--kernel", name, "--emit", "asm", *option, path, *MACROS]) for option in ([], ["--no-places"]))
            if with_places != without:
                failures += 1
                print(f"FAILED {os.path.basename(path)}: {name} differs")
            if re.search(r"\.debug_|^\s*\.loc\s", with_places, re.M):
                failures += 1
                print(f"FAILED {os.path.basename(path)}: {name} has a line table")
    print(f"{kernels} kernels of {len(files)} files, {failures} failures")
    return 1 if failures or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
