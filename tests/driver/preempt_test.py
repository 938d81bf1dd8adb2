#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The sixteen workloads with launches that are stopped at random times, and go on on the same device or another: results as ever, on devices
of our CPU driver, which end launches between groups or inside of them, and of PoCL, which are given them in pieces.

usage: preempt_test.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile

from attempts import Attempts, expect
from sixteen_table_test import TABLE

# (what, environment, devices, forms that kernels may have, whether groups must move to both devices)
SETTINGS = (("our CPU driver", {"SKMD_TEST_CPUS": "best:1,sse:1", "SKMD_TEST_PREEMPT": "3:200:other"}, "cpu", {"group"}, True),
            ("one memory each", {"SKMD_TEST_CPUS": "best:1@discrete,sse:1@discrete", "SKMD_TEST_PREEMPT": "4:200:other"}, "cpu", {"group"}, True),
            ("PoCL", {"POCL_DEVICES": "pthread basic", "SKMD_TEST_PREEMPT": "5:200:other"}, "portable:pthread@discrete,portable:basic@discrete", {"cut"}, True),
            ("inside", {"SKMD_TEST_CPUS": "best:1,sse:1@discrete", "SKMD_PREEMPT": "item", "SKMD_TEST_PREEMPT": "7:200:other"}, "cpu", {"item", "group"}, True),
            ("inside of PoCL's", {"POCL_DEVICES": "basic pthread", "SKMD_TEST_CPUS": "sse:1@discrete", "SKMD_PREEMPT": "item", "SKMD_TEST_YIELDS": "every",
                                  "SKMD_TEST_PREEMPT": "8:200:other"}, "portable:basic@discrete,cpu", {"item", "group", "cut"}, True),
            ("in place", {"SKMD_TEST_CPUS": "best:2", "SKMD_TEST_PREEMPT": "6:200"}, "cpu", {"group"}, False))


def run(build, workload, environment, devices):
    """The statistics' kernels."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        command = [f"{build}/bin/skmd-run", "--devices", devices, "--stats", stats, "--cache-dir", f"{build}/tests/driver/cache", "--",
                   f"{build}/bench/{workload}", "--size", "small", "--repeat", "2", "--check"]
        done = subprocess.run(command, env={**os.environ, "SKMD_TEST_CPU_DRIVER": "1", **environment}, capture_output=True, text=True, timeout=300)
        expect(done.returncode == 0, f"exit {done.returncode}: {done.stdout}{done.stderr}")
        expect(json.loads(done.stdout)["ok"], done.stdout)
        with open(stats, encoding="utf-8") as file:
            return json.load(file)["kernels"]


def check(totals, build, workload, environment, devices, forms):
    for kernel in run(build, workload, environment, devices):
        preempt = kernel["preempt"]
        expect(preempt["form"] in forms | {"none"}, f"{kernel['name']}: {preempt}")
        expect(preempt["form"] in forms or preempt["why_not"], f"{kernel['name']} was not stopped, and no reason is told")
        expect((preempt["form"] == "item") == (preempt["points"] > 0), f"{kernel['name']}: {preempt}")
        totals["saved"] += preempt["saved_groups"]
        totals["stops"] += preempt["stops"]
        totals["moved"] = [a + b for a, b in zip(totals["moved"], preempt["moved_groups"] + [0])]


class Divided:
    """bench/preempt's launches of one kernel, without bytes to move."""

    def __init__(self, build, devices, environment, stats):
        command = [f"{build}/bin/skmd-run", "--devices", devices, "--stats", stats, "--cache-dir", f"{build}/tests/driver/cache", "--", f"{build}/bench/preempt", "divided"]
        self.process = subprocess.Popen(command, env={**os.environ, "SKMD_TEST_CPU_DRIVER": "1", **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, words):
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        expect(self.process.wait(timeout=100) == 0, f"exit {self.process.returncode}")


def is_divided_anew(build, devices, environment, forms, always):
    """Plans go by a rate of the second device that is ten times what it is, and launches are long enough to be watched: what it has left comes to the first
    one. Without SKMD_PREEMPT nothing is. `always`: each plan of `auto` gives the second device too much; a device that compiles for each new offset may be
    left out of plans."""
    for mode in ("auto", "off"):
        with tempfile.TemporaryDirectory() as folder:
            stats = os.path.join(folder, "stats.json")
            divided = Divided(build, devices, {"SKMD_TEST_RATES": "1,10", "SKMD_PREEMPT": mode, "SKMD_PREEMPT_MS": "2", **environment}, stats)
            rounds = int(2000 * 0.2 / min(divided.ask("run 2000")["seconds"] for _ in range(3)))
            for _ in range(20):
                divided.ask(f"run {rounds}")
            expect(divided.ask(f"check {rounds}")["ok"], "wrong results")
            divided.end()
            with open(stats, encoding="utf-8") as file:
                [kernel] = json.load(file)["kernels"]
        told = kernel["preempt"]
        print(f"{devices}, {environment}, {mode}: {kernel['groups']} {told}")
        if always or mode == "off":
            expect((told["rebalances"] > 0) == (mode == "auto") and (told["moved_groups"][0] > 0) == (mode == "auto"), f"{mode}: {kernel}")
        expect(told["rebalanced_groups"] >= told["rebalances"] and told["form"] in (forms if mode == "auto" else {"none"}), f"{kernel}")


def main():
    build = sys.argv[1]
    attempt = Attempts()
    for what, environment, devices, forms, moves in SETTINGS:
        totals = {"stops": 0, "moved": [0, 0], "saved": 0}
        for workload in TABLE:
            attempt(f"{workload}, {what}", lambda: check(totals, build, workload, environment, devices, forms))
        print(f"{what}: {totals}")
        attempt(f"stops, {what}", lambda: expect(totals["stops"] >= 16 and (not moves or all(totals["moved"])), str(totals)))
        attempt(f"stops inside, {what}", lambda: expect((totals["saved"] > 0) == ("item" in forms), str(totals)))
    two = {"SKMD_TEST_CPUS": "best:1,sse:1@discrete"}
    attempt("divided anew between groups", lambda: is_divided_anew(build, "cpu", two, {"group"}, True))
    attempt("divided anew in pieces", lambda: is_divided_anew(build, "cpu,portable:basic@discrete", {"POCL_DEVICES": "pthread basic"}, {"group", "cut"}, False))
    return 1 if attempt.failed else 0


if __name__ == "__main__":
    sys.exit(main())
