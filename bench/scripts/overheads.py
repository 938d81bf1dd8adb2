#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What SKMD adds to a call, and what steps move: the raw data of docs/results/overheads.md.

    overheads.py [--build FOLDER] --origin TEXT --out FILE

Calls: bench/micro/call_cost over the stub driver, whose calls cost next to nothing, and over PoCL's pthread and basic devices; each
without and with SKMD, in turn, so that a busy machine is busy for both. Planning: bench/micro/partition_bench. Bytes: iterate on two
discrete devices, per step."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROUNDS = 5


def output(command, env=None):
    return subprocess.run(command, env={**os.environ, **(env or {})}, check=True, capture_output=True, text=True).stdout


def call_costs(build, folder):
    """Rounds of [without, with] per driver."""
    stub = f"{build}/tests/stub-icd/vendors"
    only_skmd = os.path.join(folder, "skmd")
    os.makedirs(only_skmd)
    with open(os.path.join(only_skmd, "skmd.icd"), "w", encoding="utf-8") as file:
        file.write(f"{build}/lib/libskmd.so\n")
    drivers = {
        "stub": (stub, {"STUB_DEVICES": "1", "STUB_QUIET": "1"}, ""),
        "PoCL pthread": ("/etc/OpenCL/vendors/pocl.icd", {"POCL_DEVICES": "pthread"}, "portable:pthread"),
        "PoCL basic": ("/etc/OpenCL/vendors/pocl.icd", {"POCL_DEVICES": "basic"}, "portable:basic"),
    }
    rows = {}
    for name, (vendors, env, selector) in drivers.items():
        rounds = []
        real = vendors if os.path.isdir(vendors) else os.path.dirname(vendors)
        for _ in range(ROUNDS):
            bare = output([f"{build}/bench/micro/call_cost"], {**env, "OCL_ICD_VENDORS": vendors})
            ours = output([f"{build}/bench/micro/call_cost"], {**env, "OCL_ICD_VENDORS": only_skmd, "SKMD_VENDORS": real, "SKMD_DEVICES": selector,
                                                            "SKMD_CACHE_DIR": os.path.join(folder, "cache")})
            rounds.append({"without": json.loads(bare), "with": json.loads(ours)})
        rows[name] = rounds
    return rows


def planning(build):
    text = output([f"{build}/bench/micro/partition_bench", "--benchmark_format=json", "--benchmark_repetitions=9",
                   "--benchmark_report_aggregates_only=true"])
    return {entry["name"]: entry["cpu_time"] for entry in json.loads(text)["benchmarks"] if entry.get("aggregate_name") == "median"}


def moved(build, kernel, size, steps, folder):
    stats = os.path.join(folder, "stats.json")
    output([f"{build}/bin/skmd-run", "--devices", "portable:pthread@discrete,portable:basic@discrete", "--partition", "equal", "--stats", stats,
            "--", f"{build}/bench/iterate", "--kernel", kernel, "--size", str(size), "--steps", str(steps), "--check"],
           {"POCL_DEVICES": "pthread basic"})
    with open(stats, encoding="utf-8") as file:
        transfers = json.load(file)["transfers"]
    return {"to": sum(t["bytes_to"] for t in transfers), "from": sum(t["bytes_from"] for t in transfers)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--origin", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory() as folder:
        document = {"origin": options.origin, "calls": call_costs(build, folder), "planning_ns": planning(build), "steps": []}
        for kernel, size, steps in (("axpy", 65536, (2, 20)), ("stencil3d", 32, (2, 20)), ("nbody", 4096, (2, 5))):
            document["steps"].append({"kernel": kernel, "size": size, "runs": [{"steps": n, **moved(build, kernel, size, n, folder)} for n in steps]})
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
