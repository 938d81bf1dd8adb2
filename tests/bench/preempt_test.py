#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/preempt prints what its README says; which times those are decides nothing.

usage: preempt_test.py BENCH, the folder of the programs
"""
import json
import subprocess
import sys

QUICK = ("--long-seconds", "0.2", "--repetitions", "1")


def answer(bench, *arguments):
    done = subprocess.run([f"{bench}/preempt", *arguments, "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{arguments}: exit {done.returncode}: {done.stdout}{done.stderr}"
    assert done.stdout.count("\n") == 1, done.stdout
    return json.loads(done.stdout)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0


def check_latency(bench):
    told = answer(bench, "latency", "--repeat", "2", "--stop-after-us", "500", *QUICK)
    assert set(told) == {"stop_us", "small_beside_long"}, told
    assert set(told["stop_us"]) == {"cut", "item"}, told
    for times in told["stop_us"].values():
        assert set(times) == {"p50", "p99", "max", "stops"} and all(map(is_number, times.values())), told
        assert times["stops"] > 0, told
    assert set(told["small_beside_long"]) == {"on_us", "off_us"} and all(map(is_number, told["small_beside_long"].values())), told


def check_overhead(bench):
    told = answer(bench, "overhead", "--size", "small", "--repetitions", "1", "--programs", "nbody,vector_add")
    assert list(told) == ["cut", "item", "left_whole"], told
    names = {workload["name"] for workload in told["left_whole"]}
    for form in set(told) - {"left_whole"}:
        row = told[form]
        assert set(row) == {"geomean", "worst", "workloads"}, told
        mine = [workload["name"] for workload in row["workloads"]]
        assert len(mine) == len(set(mine)), told
        names |= set(mine)
        assert all(set(workload) == {"name", "ratio", "launch_ms"} for workload in row["workloads"]), told
        assert all(is_number(workload["ratio"]) and is_number(workload["launch_ms"]) for workload in row["workloads"]), told
        if row["workloads"]:
            worst = max(row["workloads"], key=lambda workload: workload["ratio"])
            assert row["worst"] == [worst["name"], worst["ratio"]] and is_number(row["geomean"]), told
    assert names == {"nbody", "vector_add"}, told


def check_rebalance(bench):
    told = answer(bench, "rebalance", "--turns", "3", "--long-seconds", "0.2")
    assert list(told) == ["ratio", "launch_ms", "best_ms", "best_plan", "left_ms", "left_ratio", "launches", "rebalances", "moved_groups"], told
    assert all(is_number(told[key]) for key in ("ratio", "launch_ms", "best_ms", "left_ms", "left_ratio")) and told["launches"] == 11, told
    assert told["rebalances"] > 0 and len(told["moved_groups"]) == 2 and told["moved_groups"][0] > 0, told


def check_file(bench):
    told = answer(bench, "file", "--cut-off", "5", "--long-seconds", "1", "--mib", "4")
    assert list(told) == ["equal", "in_kernel", "bytes", "seconds", "refused"], told
    assert told["equal"] is True and told["in_kernel"] is True and told["refused"] == 5, told
    assert told["bytes"] > 4 << 20 and is_number(told["seconds"]), told


def check_errors(bench):
    for arguments in (("overhead", "--programs", "no_such_program"), ("latency", "--size", "huge"), ()):
        done = subprocess.run([f"{bench}/preempt", *arguments], capture_output=True, text=True, timeout=60)
        assert done.returncode in (1, 2) and done.stderr, f"{arguments}: {done}"


def main():
    bench = sys.argv[1]
    check_latency(bench)
    check_overhead(bench)
    check_rebalance(bench)
    check_file(bench)
    check_errors(bench)


if __name__ == "__main__":
    main()
