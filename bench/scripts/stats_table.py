#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What sixteen.sh left in a folder, as a table: a line for each kernel. Exit status 1 if a workload failed.

Usage: stats_table.py FOLDER WORKLOAD…"""
import json
import os
import statistics
import sys

RUNGS = ("disjoint", "kernel", "diff", "reduce")


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def shares(groups):
    total = sum(groups)
    return "/".join(f"{100 * g / total:.0f}%" for g in groups) if total else "-"


def named_counts(counts):
    return " ".join(f"{name}:{count}" for name, count in counts.items() if count) or "-"


def megabytes(transfers, key):
    return f"{sum(t[key] for t in transfers) / 1e6:.1f}"


def status_of(folder, workload, answer):
    with open(os.path.join(folder, workload + ".status"), encoding="utf-8") as file:
        status = int(file.read())
    if status != 0:
        return f"exit {status}"
    return "ok" if answer and answer["ok"] else "wrong"


def last_words(folder, workload):
    """The last line of the workload's standard error."""
    with open(os.path.join(folder, workload + ".log"), encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    return lines[-1] if lines else "no message"


def rows_of(folder, workload):
    """The workload's outcome and its lines."""
    answer = load(os.path.join(folder, workload + ".json"))
    stats = load(os.path.join(folder, workload + ".stats.json"))
    outcome = status_of(folder, workload, answer)
    seconds = f"{statistics.median(answer['seconds']):.4f}" if answer else "-"
    head = [workload, outcome, seconds]
    if stats is None:
        return "no statistics" if outcome == "ok" else outcome, [head + ["no statistics"] + [""] * 6]
    moved = [megabytes(stats["transfers"], "bytes_to"), megabytes(stats["transfers"], "bytes_from")]
    rows = []
    for kernel in stats["kernels"]:
        split = f"{kernel['split_launches']}/{kernel['launches']}"
        merge = named_counts({rung: kernel["merge"].get(rung, 0) for rung in RUNGS})
        rows.append(head + [kernel["name"], kernel["access"], split, shares(kernel["groups"]), merge,
                            named_counts(kernel["not_split"]), "/".join(moved)])
        head = ["", "", ""]
        moved = []
    return outcome, rows or [head + ["no kernel"] + [""] * 6]


def main():
    folder, *workloads = sys.argv[1:]
    table = [["workload", "result", "seconds", "kernel", "access", "split", "groups", "merge", "not split", "MB to/from"]]
    failed = []
    for workload in workloads:
        outcome, rows = rows_of(folder, workload)
        table += rows
        if outcome != "ok":
            failed.append(workload)
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    for row in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    for workload in failed:
        print(f"{workload}: {last_words(folder, workload)}")
    print(f"{len(workloads) - len(failed)} of {len(workloads)} right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
