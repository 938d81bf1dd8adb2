#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Data stays where it is used: what the steps of build/bench/iterate move between two discrete devices under `equal`.

usage: iterate_test.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile

DEVICES = "portable:pthread@discrete,portable:basic@discrete"


def moved(build, kernel, size, steps):
    """Bytes sent to and received from all devices together."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        subprocess.run([f"{build}/bin/skmd-run", "--devices", DEVICES, "--partition", "equal", "--stats", stats, "--cache-dir",
                        f"{build}/tests/driver/cache", "--", f"{build}/bench/iterate", "--kernel", kernel, "--size", str(size),
                        "--steps", str(steps), "--check"],
                       env={**os.environ, "POCL_DEVICES": "pthread basic"}, check=True, stdout=subprocess.DEVNULL, timeout=300)
        with open(stats, encoding="utf-8") as file:
            document = json.load(file)
    for entry in document["kernels"]:
        assert entry["split_launches"] == entry["launches"], f"{kernel}: {entry}"
    return (sum(t["bytes_to"] for t in document["transfers"]), sum(t["bytes_from"] for t in document["transfers"]))


def per_step(build, kernel, size, few, many):
    first, second = moved(build, kernel, size, few), moved(build, kernel, size, many)
    return tuple((b - a) / (many - few) for a, b in zip(first, second))


def main():
    build = sys.argv[1]
    layer = 32 * 32 * 4
    bodies = 4096
    expected = {
        ("axpy", 65536): (0, 0),
        ("stencil3d", 32): (2 * layer, 2 * layer),            # one halo layer each way across the one border
        ("nbody", bodies): (bodies * 16, bodies * 16),         # each half of the positions to the other device
    }
    failed = False
    for (kernel, size), bound in expected.items():
        seen = per_step(build, kernel, size, 2, 20 if kernel != "nbody" else 5)
        ok = seen == bound
        failed = failed or not ok
        print(f"{'ok     ' if ok else 'FAILED '} {kernel}: {seen} bytes a step, expected {bound}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
