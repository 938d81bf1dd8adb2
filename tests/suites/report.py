# SPDX-License-Identifier: Apache-2.0
"""What a run of suites found: each difference as it is seen, a table, and raw data for docs/results."""
import collections
import json
import os
import platform
import subprocess

import known
from harness import BASELINE, broken, elsewhere, launches, passes

# More processor time than this is worth a look.
SLOW_FACTOR, SLOW_SECONDS = 3, 5
DRIVER = ("compiler", "cpu-driver", "intercept", "partitioner", "profiler", "CMakeLists.txt", "cmake")


class Tally:
    """One row of the table: programs of one suite in one mode."""

    def __init__(self):
        self.programs = self.ran = self.passed = self.failed = self.launches = self.split = 0
        self.seconds = self.processor_seconds = 0.0
        self.whole = collections.Counter()  # reason -> launches
        self.elsewhere = collections.Counter()  # reason -> kernels

    def add(self, line):
        self.programs += 1
        self.failed += len(line["failed"])
        for name in ("ran", "passed", "launches", "split", "seconds", "processor_seconds"):
            setattr(self, name, getattr(self, name) + line[name])
        self.whole.update(line["whole"])
        self.elsewhere.update(line["elsewhere"])


class Report:
    """Made of lines, one for each program and mode, which can be kept in a file while the suites run."""

    def __init__(self, differences):
        self.known = differences
        self.rows = collections.defaultdict(Tally)  # (suite, mode)
        self.planned = {}  # suite -> programs
        self.not_run = []  # (suite, reason)
        self.commit = commit()
        self.lines = []
        self.stale = []

    def add(self, suite, test, runs):
        """-> the lines, whose differences have been said."""
        there = runs[BASELINE].outcomes
        lines = [self._line(suite, test, mode, run, there) for mode, run in runs.items()]
        for line in lines:
            self.take(line)
            for failure in line["failed"]:
                full = known.full_name(suite, test, failure["test"])
                if line["mode"] == BASELINE:
                    if not self.known.fails_on_pocl(full):
                        self._say(f"{full}: fails on PoCL alone ({failure['here']})")
                else:
                    self._say(f"DIFFERS {full} {line['mode']}: {failure['here'][:60]} where PoCL alone says {failure['there'][:60]} (exit status {line['status']})")
            ours, pocl = line["processor_seconds"], lines[0]["processor_seconds"]
            if ours > SLOW_FACTOR * pocl and ours > pocl + SLOW_SECONDS:
                self._say(f"slow {suite}/{test} {line['mode']}: {ours:.0f} s of processor time where PoCL alone takes {pocl:.0f} s")
        return lines

    def _line(self, suite, test, mode, run, there):
        ours = run.outcomes if mode != BASELINE else there
        failed, open_ = [], []
        if mode == BASELINE:
            failed = [{"test": name, "here": outcome} for name, outcome in there.items() if not passes(outcome) and outcome != "skip"]
        for name, (before, after) in broken(there, ours).items():
            if self.known.left_open(known.full_name(suite, test, name), mode):
                open_.append(name)
            else:
                failed.append({"test": name, "there": before, "here": after, "output": run.finished.output[-4000:]})
        every, split = launches(run.stats)
        whole, kernels = collections.Counter(), {}
        for kernel in run.stats.get("kernels", []):
            reasons = {reason: count for reason, count in kernel["not_split"].items() if count}
            whole.update(reasons)
            if reasons:
                kernels.setdefault(kernel["name"], collections.Counter()).update(reasons)
        return {"commit": self.commit, "suite": suite, "test": test, "mode": mode, "status": run.finished.status, "seconds": round(run.seconds, 2),
                "processor_seconds": round(run.processor_seconds, 2), "ran": len(there),
                "passed": sum(passes(outcome) and ours.get(name) == outcome for name, outcome in there.items()), "failed": failed, "left_open": open_,
                "launches": every, "split": split, "whole": whole, "kernels": kernels, "elsewhere": elsewhere(run.stats)}

    def take(self, line):
        self.lines.append(line)
        self.rows[line["suite"], line["mode"]].add(line)
        for name in line["left_open"]:
            self.known.left_open(known.full_name(line["suite"], line["test"], name), line["mode"])
        for failure in line["failed"] if line["mode"] == BASELINE else ():
            self.known.fails_on_pocl(known.full_name(line["suite"], line["test"], failure["test"]))

    @staticmethod
    def _say(text):
        print(text, flush=True)

    def end(self, stale):
        """`stale`: rows of the list that nothing bore out."""
        self.stale = stale
        for row in stale:
            self._say(f"OUT OF DATE docs/known-differences.md: {row} no longer happens")

    def failed(self):
        return sum(row.failed for (_, mode), row in self.rows.items() if mode != BASELINE) + len(self.stale)

    def table(self):
        print(f"{'suite':9} {'mode':6} {'programs':>8} {'ran':>6} {'passed':>6} {'failed':>6} {'CPU s':>7}  split launches, and why the others stayed whole")
        for (suite, mode), row in self.rows.items():
            whole = "; ".join(f"{reason} {count}" for reason, count in row.whole.most_common())
            split = "" if mode == BASELINE else f"{row.split} of {row.launches}" + (f": {whole}" if whole else "")
            if row.elsewhere:
                split += "; kernels on another CPU driver: " + "; ".join(f"{reason} {count}" for reason, count in row.elsewhere.most_common())
            print(f"{suite:9} {mode:6} {row.programs:8} {row.ran:6} {row.passed:6} {row.failed:6} {row.processor_seconds:7.0f}  {split}".rstrip())
        for suite, programs in self.planned.items():
            if (ran := self.rows[suite, BASELINE].programs) < programs:
                print(f"{suite:9} ended early: {ran} of {programs} programs ran")
        for suite, reason in self.not_run:
            print(f"{suite:9} not run: {reason}")
        ours = [row for (_, mode), row in self.rows.items() if mode != BASELINE]
        print(f"{sum(row.passed for row in ours)} passed, {self.failed()} failed, {len(self.not_run)} suites not run")

    def raw(self, command):
        rows = [{"suite": suite, "mode": mode, "planned": self.planned.get(suite, row.programs)} | vars(row) | {"seconds": round(row.seconds), "processor_seconds": round(row.processor_seconds)}
                for (suite, mode), row in self.rows.items()]
        commits = ", ".join(sorted({line["commit"] for line in self.lines}))
        return {"origin": f"{machine()}. Commit {commits}, `{command}`.", "rows": rows, "not_run": self.not_run, "stale": self.stale,
                "failed": [line for line in self.lines if line["failed"] and line["mode"] != BASELINE]}


def commit():
    """The last one that changed what is tested here: the driver and its commands."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    changed = " with changes" if _said("git", "-C", root, "status", "--porcelain", "--untracked-files=no", *DRIVER) else ""
    return _said("git", "-C", root, "log", "-1", "--format=%h", "--abbrev=12", "--", *DRIVER) + changed


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    pocl = _said("dpkg-query", "-W", "-f", "${Version}", "pocl-opencl-icd")
    return f"{os.cpu_count()} cores ({model}), PoCL {pocl}"


def _said(*argv):
    return subprocess.run(argv, capture_output=True, text=True).stdout.strip()
