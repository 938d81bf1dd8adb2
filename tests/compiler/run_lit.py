#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the RUN: lines of test files, as LLVM's lit does, with LLVM's FileCheck.

    // RUN: %skmd-compile --rewrite %s | %FileCheck %s
    // RUN: not %skmd-compile --explain %s 2>&1 | %FileCheck %s --check-prefix=LOG
    ; RUN: %skmd-opt -S --passes=skmd-masks %s | %lli

%s is the test file, %S its folder, %t a scratch path that no other test uses; `not` expects failure by exit status,
not by a signal. A line that ends with a backslash goes on in the next RUN: line. Every command of a pipe must succeed.
A file without a RUN: line fails.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

NOT = 'not() { "$@"; local status=$?; if [ $status -gt 0 ] && [ $status -lt 126 ]; then return 0; fi; return 1; }\n'


def run_lines(path):
    lines, pending = [], ""
    for line in path.read_text().splitlines():
        found = re.search(r"RUN:\s*(.*?)\s*$", line)
        if not found:
            continue
        pending += found.group(1)
        if pending.endswith("\\"):
            pending = pending[:-1] + " "
        else:
            lines.append(pending)
            pending = ""
    if pending:
        lines.append(pending)
    return lines


def substitute(line, values):
    names = sorted(values, key=len, reverse=True)
    return re.sub("|".join(re.escape(name) for name in names), lambda found: values[found.group(0)], line)


def run_file(path, tools, scratch, verbose):
    lines = run_lines(path)
    if not lines:
        print(f"{path}: no RUN: line")
        return False
    values = {"%s": str(path), "%S": str(path.parent), "%t": str(scratch / path.stem), **tools}
    for line in lines:
        command = substitute(line, values)
        try:
            done = subprocess.run(["bash", "-c", "set -o pipefail\n" + NOT + command], capture_output=True, text=True,
                                  errors="replace", cwd=scratch, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            print(f"{path}: no end within 300 s\n  {command}")
            return False
        if done.returncode != 0:
            print(f"{path}: exit status {done.returncode}\n  {command}\n{done.stdout}{done.stderr}")
            return False
        if verbose:
            print(f"{path}: passed\n  {command}\n{done.stdout}{done.stderr}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skmd-compile", required=True, metavar="PATH")
    parser.add_argument("--filecheck", required=True, metavar="PATH")
    parser.add_argument("--skmd-opt", default="skmd-opt", metavar="PATH", help="runs passes of the CPU code generator")
    parser.add_argument("--print-ir", default="print_ir", metavar="PATH", help="prints kernels in LLVM IR as OpenCL C")
    parser.add_argument("--llvm-bin", default="/usr/lib/llvm-22/bin", metavar="FOLDER", help="for %%lli")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("tests", nargs="+", type=pathlib.Path, help="files, or folders of .cl files")
    arguments = parser.parse_args()
    tools = {"%skmd-compile": arguments.skmd_compile, "%FileCheck": arguments.filecheck, "%skmd-opt": arguments.skmd_opt,
             "%print-ir": arguments.print_ir, "%lli": arguments.llvm_bin + "/lli"}
    files = []
    for test in arguments.tests:
        files += sorted(test.glob("*.cl")) if test.is_dir() else [test]
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        for file in files:
            failures += not run_file(file.resolve(), tools, pathlib.Path(scratch), arguments.verbose)
    print(f"{len(files) - failures} of {len(files)} passed")
    return 1 if failures or not files else 0


if __name__ == "__main__":
    sys.exit(main())
