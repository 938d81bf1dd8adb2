#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The demonstration's table, from the statistics of each run: table.py FOLDER NAME=HOW-VERIFIED…

FOLDER holds NAME.stats.json and NAME.status. Exit status 1 unless every program succeeded and did launch kernels."""
import json
import os
import sys

DRIVERS = {"cpu-driver": "SKMD's own CPU driver", "icd": "the vendor's driver"}
HEAD = ("program", "verified against", "result", "launches", "split", "groups on each device")


def shares(kernels, devices):
    sums = [sum(kernel["groups"][i] for kernel in kernels) for i in range(devices)]
    total = sum(sums)
    return " / ".join(f"{100 * groups / total:.1f} %" for groups in sums) if total else "-"


def row_of(folder, name, how):
    with open(os.path.join(folder, name + ".status"), encoding="utf-8") as file:
        status = int(file.read())
    outcome = "ok" if status == 0 else f"FAILED ({status})"
    try:
        with open(os.path.join(folder, name + ".stats.json"), encoding="utf-8") as file:
            stats = json.load(file)
    except (OSError, ValueError):
        return (name, how, "NO STATISTICS", "-", "-", "-"), []
    launches = sum(kernel["launches"] for kernel in stats["kernels"])
    split = sum(kernel["split_launches"] for kernel in stats["kernels"])
    if launches == 0:
        outcome = "NOTHING LAUNCHED"
    return (name, how, outcome, str(launches), str(split), shares(stats["kernels"], len(stats["devices"]))), stats["devices"]


def main():
    folder, programs = sys.argv[1], [argument.split("=", 1) for argument in sys.argv[2:]]
    rows, devices = [HEAD], []
    for name, how in programs:
        row, found = row_of(folder, name, how)
        rows.append(row)
        devices = devices or found
    for i, device in enumerate(devices):
        print(f"device {i}: {device['name']} ({device['kind']}, {DRIVERS[device['backend']]})")
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    return 0 if len(rows) > 1 and all(row[2] == "ok" for row in rows[1:]) else 1


if __name__ == "__main__":
    sys.exit(main())
