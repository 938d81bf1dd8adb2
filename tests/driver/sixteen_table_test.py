#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The sixteen workloads, unmodified, on one virtual device of two real ones: right in every mode, and for each of them the
access class of the paper's Table II, the merge rung of every output, and the bytes that each device may be sent.

usage: sixteen_table_test.py BUILD MODE   MODE: equal, in_place, or any SKMD_PARTITION value
"""
import json
import os
import subprocess
import sys
import tempfile

DISCRETE = "portable:pthread@discrete,portable:basic@discrete"
IN_PLACE = "portable:pthread,portable:basic"

# Sizes are those of --size small. `to`, `back`: the most that one device may receive and send under `equal`; an
# input's share is half of it, halos and inputs that every group reads come on top.
PIXELS, ROW = 480 * 272 * 4, 480 * 4
TABLE = {
    "aes_encrypt": dict(access="discontiguous", to=256 * 256 * 3 // 2 + 512, back=256 * 256 * 3 // 2),
    "aes_decrypt": dict(access="discontiguous", to=256 * 256 * 3 // 2 + 512, back=256 * 256 * 3 // 2),
    "binomial_option": dict(access="contiguous", to=64 * 16 // 2, back=64 * 16 // 2),
    "black_scholes": dict(access="contiguous", to=3 * 65536 * 4 // 2, back=2 * 65536 * 4 // 2),
    "box_muller": dict(access="discontiguous", to=131072 * 4 // 2, back=131072 * 4 // 2),
    # Two buffers with a frame of two points, five steps, a halo of two layers of the padded plane at every step.
    "fdtd3d": dict(access="discontiguous", to=2 * 68 * 68 * 20 * 4, back=68 * 68 * 20 * 4),
    "histogram": dict(access="discontiguous", to=2**19 * 4 // 2, back=16 * 256 * 4 // 2),
    "matrix_multiplication": dict(access="discontiguous", to=128 * 128 * 4 // 2 + 128 * 128 * 4, back=128 * 128 * 4 // 2),
    "matrix_transpose": dict(access="discontiguous", to=512 * 512 * 4 // 2, back=512 * 512 * 4 // 2),
    "median_filter": dict(access="discontiguous", to=PIXELS // 2 + ROW, back=PIXELS // 2),
    "mersenne_twister": dict(access="discontiguous", to=32768, back=131072 * 4 // 2),
    # Every body's position goes everywhere; velocities are shared out; both come back.
    "nbody": dict(access="discontiguous", to=4096 * 16 + 4096 * 16 // 2, back=2 * 4096 * 16 // 2),
    "reduction": dict(access="discontiguous", to=2**18 * 4 // 2, back=64 * 4 // 2),
    # Blocks, then the blocks' sums, then offsets: the second launch has one group.
    "scan_large_arrays": dict(access="contiguous", to=2**16 * 4 // 2 + 2048, back=2**16 * 4 // 2 + 2048, whole={"one_group"}),
    "sobel_filter": dict(access="discontiguous", to=PIXELS // 2 + ROW, back=PIXELS // 2),
    "vector_add": dict(access="contiguous", to=2 * 2**18 * 4 // 2, back=2**18 * 4 // 2),
}


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def run(build, workload, devices, mode):
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        command = [f"{build}/bin/skmd-run", "--devices", devices, "--partition", mode, "--stats", stats, "--cache-dir",
                   f"{build}/tests/driver/cache", "--", f"{build}/bench/{workload}", "--size", "small", "--check"]
        done = subprocess.run(command, env={**os.environ, "POCL_DEVICES": "pthread basic"}, capture_output=True, text=True, timeout=300)
        expect(done.returncode == 0, f"exit {done.returncode}: {done.stdout}{done.stderr}")
        expect(json.loads(done.stdout)["ok"], done.stdout)
        with open(stats, encoding="utf-8") as file:
            return json.load(file)


def check_split(row, stats):
    """Modes that split every launch that can be split: whole only for a reason that the table names."""
    expect(stats["kernels"], "no launch was counted")
    for kernel in stats["kernels"]:
        name = kernel["name"]
        expect(kernel["access"] == row["access"], f"{name}: access {kernel['access']}")
        expect(set(kernel["not_split"]) <= row.get("whole", set()), f"{name}: not split: {kernel['not_split']}")
        expect(kernel["split_launches"] > 0, f"{name}: no launch was split")
        expect(all(groups > 0 for groups in kernel["groups"]), f"{name}: groups {kernel['groups']}")
        rungs = {rung for rung, count in kernel["merge"].items() if count}
        expect(rungs == {"disjoint"}, f"{name}: merged by {kernel['merge']}")


def check_bytes(row, stats):
    for transfer in stats["transfers"]:
        expect(transfer["bytes_to"] <= row["to"], f"device {transfer['device']} received {transfer['bytes_to']}, bound {row['to']}")
        expect(transfer["bytes_from"] <= row["back"], f"device {transfer['device']} sent {transfer['bytes_from']}, bound {row['back']}")


def check(build, workload, mode):
    row = TABLE[workload]
    devices = IN_PLACE if mode == "in_place" else DISCRETE
    stats = run(build, workload, devices, "equal" if mode == "in_place" else mode)
    if mode in ("equal", "in_place") or mode.startswith("fixed"):
        check_split(row, stats)
    if mode == "equal":
        check_bytes(row, stats)
    if mode == "in_place":
        moved = sum(t["bytes_to"] + t["bytes_from"] for t in stats["transfers"])
        expect(moved == 0, f"{moved} bytes were copied between devices that share the host's memory")
    if mode.startswith("single"):
        expect(all(k["split_launches"] == 0 and set(k["not_split"]) == {"mode_single"} for k in stats["kernels"]), "single split a launch")


def main():
    build, mode = sys.argv[1:]
    failed = []
    for workload in TABLE:
        try:
            check(build, workload, mode)
            print(f"ok      {workload}")
        except (Failure, subprocess.TimeoutExpired, json.JSONDecodeError) as failure:
            failed.append(workload)
            print(f"FAILED  {workload}: {failure}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
