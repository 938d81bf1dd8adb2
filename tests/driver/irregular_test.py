#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Workloads whose groups do very different amounts of work, and those in double precision, on one virtual device of two real ones
that share no memory: right in every mode, and split in those that split every launch that can be, from pageable and from page-locked
memory. Then the sixteen from page-locked memory.

usage: irregular_test.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile

from attempts import Attempts, expect
from sixteen_table_test import TABLE

POCL = "portable:pthread@discrete,portable:basic@discrete"
WORKLOADS = ("bfs_level", "mandelbrot", "quadrature", "ray_march", "spmv", "cholesky", "fft_2d", "monte_carlo")
# (devices, partition, whether every launch is split). In `dynamic` a device that begins late may find no groups left.
SETTINGS = ((POCL, "equal", True), (POCL, "fixed:37,63", True), (POCL, "dynamic", True), (POCL, "auto", False),
            ("cpu", "auto", False), ("cpu@discrete,portable:basic@discrete", "equal", True))
MEMORY = ("pageable", "pinned")


def run(build, workload, devices, mode, memory):
    """The statistics of three checked repetitions."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        command = [f"{build}/bin/skmd-run", "--devices", devices, "--partition", mode, "--stats", stats, "--cache-dir",
                   f"{build}/tests/driver/cache", "--", f"{build}/bench/{workload}", "--size", "small", "--repeat", "3", "--memory", memory,
                   "--check"]
        done = subprocess.run(command, env={**os.environ, "POCL_DEVICES": "pthread basic", "SKMD_TEST_CPU_DRIVER": "1"},
                              capture_output=True, text=True, timeout=300)
        expect(done.returncode == 0, f"exit {done.returncode}: {done.stdout}{done.stderr}")
        answer = json.loads(done.stdout)
        expect(answer["ok"] and answer["memory"] == memory, done.stdout)
        with open(stats, encoding="utf-8") as file:
            return json.load(file)


def check(build, workload, devices, mode, is_split, memory):
    kernels = run(build, workload, devices, mode, memory)["kernels"]
    expect(kernels, "no launch was counted")
    for kernel in kernels:
        expect(kernel["launches"] == 3, f"{kernel['launches']} launches")
        if is_split:
            expect(kernel["split_launches"] == 3, f"{kernel['split_launches']} launches were split, not: {kernel['not_split']}")
            expect(mode == "dynamic" or all(groups > 0 for groups in kernel["groups"]), f"groups {kernel['groups']}")


def main():
    build = sys.argv[1]
    attempt = Attempts()
    for row, (devices, mode, is_split) in enumerate(SETTINGS):
        for column, workload in enumerate(WORKLOADS):
            memory = MEMORY[(row + column) % 2]  # each workload has both, as each setting has
            attempt(f"{workload} {devices} {mode} {memory}", lambda: check(build, workload, devices, mode, is_split, memory))
    for workload in TABLE:
        attempt(f"{workload} pinned", lambda: run(build, workload, POCL, "equal", "pinned"))
    return 1 if attempt.failed else 0


if __name__ == "__main__":
    sys.exit(main())
