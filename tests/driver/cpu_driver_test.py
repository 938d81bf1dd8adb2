#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Unmodified applications with our own CPU driver as the host's device, alone and beside another device.

usage: cpu_driver_test.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile

WORKLOADS = ("aes_encrypt", "aes_decrypt", "binomial_option", "black_scholes", "box_muller", "fdtd3d", "histogram",
             "matrix_multiplication", "matrix_transpose", "median_filter", "mersenne_twister", "nbody", "reduction",
             "scan_large_arrays", "sobel_filter", "vector_add")
# (devices, partition, threads of the CPU driver)
SETTINGS = (("cpu", "auto", ""), ("cpu", "auto", "1"), ("cpu@discrete,portable:basic@discrete", "equal", ""),
            ("cpu,portable:basic@discrete", "fixed:70,30", ""))


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


def run(build, command, folder, devices="cpu", partition="auto", **variables):
    """Exit status, output and stats of an application under skmd-run."""
    stats = os.path.join(folder, "stats.json")
    environment = {**os.environ, "POCL_DEVICES": "pthread basic", "SKMD_TEST_CPU_DRIVER": "1", **variables}
    done = subprocess.run([f"{build}/bin/skmd-run", "--devices", devices, "--partition", partition, "--stats", stats,
                           "--cache-dir", f"{build}/tests/driver/cache", "--", *command],
                          env={k: v for k, v in environment.items() if v != ""}, capture_output=True, text=True, timeout=300)
    document = None
    if os.path.exists(stats):
        with open(stats, encoding="utf-8") as file:
            document = json.load(file)
    return done, document


def check_workload(build, workload, setting, **variables):
    devices, partition, threads = setting
    with tempfile.TemporaryDirectory() as folder:
        done, stats = run(build, [f"{build}/bench/{workload}", "--size", "small", "--check"], folder, devices, partition,
                          SKMD_CPU_THREADS=threads, **variables)
    expect(done.returncode == 0, f"exit {done.returncode}: {done.stdout}{done.stderr}")
    expect(json.loads(done.stdout)["ok"], done.stdout)
    expect(stats["devices"][0]["backend"] == "cpu-driver", f"devices: {stats['devices']}")
    expect(all(device["backend"] == "icd" for device in stats["devices"][1:]), f"devices: {stats['devices']}")
    if partition != "auto":
        expect(any(kernel["split_launches"] for kernel in stats["kernels"]), "no launch was split")
    return stats["other_cpu_driver"]


def check_alone(build):
    """No other driver of any kind on the machine."""
    with tempfile.TemporaryDirectory() as vendors:
        for workload in WORKLOADS:
            other = check_workload(build, workload, ("cpu", "auto", ""), SKMD_VENDORS=vendors)
            expect(not other["kernels"], f"{workload}: {other}")


def check_switch(build):
    vector_add = [f"{build}/bench/vector_add", "--size", "small", "--check"]
    with tempfile.TemporaryDirectory() as folder:
        done, stats = run(build, vector_add, folder, SKMD_TEST_CPU_DRIVER="0")
        expect(done.returncode == 0 and stats["devices"][0]["backend"] == "icd", "0 does not switch it off")
        expect("other_cpu_driver" not in stats, "another driver is counted without ours")
        _, stats = run(build, vector_add, folder, devices="portable:pthread")
        expect(stats["devices"][0]["backend"] == "icd", "a device that is named is not the vendor's")
    for name, value in (("SKMD_TEST_CPU_DRIVER", "yes"), ("SKMD_CPU_THREADS", "0"), ("SKMD_CPU_THREADS", "many"),
                        ("SKMD_CPU_THREADS", "2 "), ("SKMD_CPU_THREADS", "-1"), ("SKMD_CPU_THREADS", "99999999999")):
        with tempfile.TemporaryDirectory() as folder:
            done, _ = run(build, vector_add, folder, SKMD_LOG="error", **{name: value})
            expect(done.returncode != 0, f"{name}={value} is taken")
            expect(f"{name}={value}: expected " in done.stderr, f"{name}={value}: {done.stderr}")


def main():
    build = sys.argv[1]
    failures = 0
    elsewhere = {}
    for setting in SETTINGS:
        for workload in WORKLOADS:
            try:
                other = check_workload(build, workload, setting)
                for kernel in other["kernels"]:
                    elsewhere[workload, kernel["name"]] = kernel["reason"]
            except (Failure, subprocess.TimeoutExpired, json.JSONDecodeError) as failure:
                failures += 1
                print(f"FAILED {workload} on {setting}: {failure}")
    for name, check in (("the switch", check_switch), ("alone", check_alone)):
        try:
            check(build)
        except Failure as failure:
            failures += 1
            print(f"FAILED {name}: {failure}")
    for (workload, kernel), reason in sorted(elsewhere.items()):
        print(f"{workload}: {kernel} ran on another CPU driver: {reason}")
    print(f"{len(WORKLOADS) * len(SETTINGS)} runs, {failures} failures, {len(elsewhere)} kernels on another CPU driver")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
