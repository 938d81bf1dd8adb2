#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A driver's device shown twice is two devices to SKMD, which split launches and give right results.

usage: twice_test.py BUILD TWICE_LIBRARY DRIVER
"""
import json
import os
import subprocess
import sys
import tempfile


def main():
    build, twice, driver = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/twice.icd", "w", encoding="utf-8") as file:
            file.write(twice + "\n")
        environment = os.environ | {"SKMD_VENDORS": folder, "TWICE_DRIVER": driver, "POCL_DEVICES": "pthread",
                                    "SKMD_CACHE_DIR": f"{folder}/cache", "POCL_CACHE_DIR": f"{folder}/pocl"}
        devices = "portable:0@discrete,portable:1@discrete"
        listed = json.loads(subprocess.run([f"{build}/bin/skmd-info", "--json"], env=environment | {"SKMD_DEVICES": devices}, check=True,
                                           capture_output=True, text=True).stdout)["devices"]
        names = {device["name"] for device in listed}
        if len(listed) != 2 or len(names) != 1:
            sys.exit(f"devices: {listed}")
        for workload in ("matrix_transpose", "histogram"):
            stats = f"{folder}/{workload}.json"
            run = subprocess.run([f"{build}/bin/skmd-run", "--devices", devices, "--partition", "equal", "--stats", stats, "--",
                                  f"{build}/bench/{workload}", "--size", "small", "--check"], env=environment, capture_output=True, text=True)
            if run.returncode != 0 or '"ok":true' not in run.stdout:
                sys.exit(f"{workload}: {run.stdout[-400:]} {run.stderr[-400:]}")
            with open(stats, encoding="utf-8") as file:
                kernels = json.load(file)["kernels"]
            if not kernels or any(kernel["split_launches"] != kernel["launches"] or min(kernel["groups"]) == 0 for kernel in kernels):
                sys.exit(f"{workload}: not split over both: {kernels}")
        environment |= {"TWICE_DRIVER": f"{folder}/none.so"}
        none = subprocess.run([f"{build}/bin/skmd-info", "--json"], env=environment | {"SKMD_DEVICES": devices}, capture_output=True, text=True)
        if "Portable" in none.stdout:
            sys.exit(f"devices of no driver: {none.stdout}")


if __name__ == "__main__":
    main()
