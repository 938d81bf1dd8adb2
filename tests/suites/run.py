#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs test suites of other projects, unmodified, on PoCL alone and on a virtual device made of PoCL's two. What passes there
has to pass here. Ends with 1 if something does not, or if docs/known-differences.md is out of date.

usage: run.py [--quick] [--build DIR] [--jobs N] [--only TEXT] [--modes LIST] [--report FILE] [--caches DIR] [suite...]
       run.py --packages [--quick] [suite...]    which packages each suite needs, one line per suite
"""
import argparse
import collections
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

import clblast, clfft, clinfo, clpeak, ffmpeg, hashcat, piglit, pyopencl_tests  # noqa: E401,E402
import known  # noqa: E402
from harness import BASELINE, MODES, Runner, broken, end_all, launches, passes  # noqa: E402

SUITES = {module.SUITE.name: module.SUITE for module in (clinfo, clpeak, clblast, clfft, pyopencl_tests, piglit, hashcat, ffmpeg)}


def packages(suite, quick):
    return suite.packages + (() if quick else suite.more_packages)


def absent(names):
    return [name for name in names
            if not subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}", name], capture_output=True, text=True).stdout.startswith("ii")]


class Tally:
    """One row of the table."""

    def __init__(self):
        self.ran = self.passed = self.failed = self.launches = self.split = 0


class Report:
    def __init__(self, differences):
        self.known = differences
        self.rows = collections.defaultdict(Tally)
        self.not_run = []
        self.regressions = 0
        self.kernels = collections.Counter()  # (suite, kernel, program, reason) -> launches
        self.details = []

    def add(self, suite, test, runs):
        there = runs[BASELINE].outcomes
        for mode, run in runs.items():
            row = self.rows[suite, mode]
            row.ran += len(there)
            row.passed += sum(passes(outcome) and (mode == BASELINE or run.outcomes.get(name) == outcome) for name, outcome in there.items())
            all_launches, split = launches(run.stats)
            row.launches += all_launches
            row.split += split
            for kernel in run.stats.get("kernels", []):
                for reason, count in kernel["not_split"].items():
                    self.kernels[suite, kernel["name"], kernel["program"], mode, reason] += count
            if mode == BASELINE:
                self._baseline(row, suite, test, there)
            else:
                self._ours(row, suite, test, mode, run, there)

    def _baseline(self, row, suite, test, there):
        for name, outcome in there.items():
            full = known.full_name(suite, test, name)
            failed = not passes(outcome) and outcome != "skip"
            row.failed += failed
            if failed != self.known.saw_pocl(full, failed):
                self._say(f"{full}: fails on PoCL alone ({outcome})")

    def _ours(self, row, suite, test, mode, run, there):
        for name, (before, after) in broken(there, run.outcomes).items():
            full = known.full_name(suite, test, name)
            if self.known.left_open(full):
                continue
            row.failed += 1
            self.regressions += 1
            self._say(f"DIFFERS {full} {mode}: {after[:60]} where PoCL alone says {before[:60]} (exit status {run.finished.status})")
            self.details.append({"test": full, "mode": mode, "there": before, "here": after, "output": run.finished.output[-4000:]})

    @staticmethod
    def _say(text):
        print(text, flush=True)

    def table(self):
        print(f"{'suite':10} {'mode':6} {'ran':>6} {'passed':>6} {'failed':>6} {'split launches':>20}")
        for (suite, mode), row in self.rows.items():
            split = "" if mode == BASELINE else f"{row.split} of {row.launches}"
            print(f"{suite:10} {mode:6} {row.ran:6} {row.passed:6} {row.failed:6} {split:>20}")
        for suite, reason in self.not_run:
            print(f"{suite:10} not run: {reason}")


def run_suite(suite, tests, runner, modes, jobs, report):
    def all_modes(test):
        return {mode: runner.run(test, mode) for mode in (BASELINE, *modes)}

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for test, runs in zip(tests, pool.map(all_modes, tests)):
            report.add(suite.name, test.name, runs)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--packages", action="store_true")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="tests whose name holds this text")
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--caches", help="folder of compiled programs, kept; default: none is kept")
    parser.add_argument("--report", help="JSON file: every difference with the program's output, kernels that stayed whole")
    parser.add_argument("suites", nargs="*")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    unknown = set(options.suites) - set(SUITES)
    if unknown:
        parser.error(f"no such suite: {' '.join(sorted(unknown))}; there are {' '.join(SUITES)}")
    return options


def main():
    options = arguments()
    chosen = [SUITES[name] for name in options.suites] or [suite for suite in SUITES.values() if suite.quick or not options.quick]
    if options.packages:
        for suite in chosen:
            print(suite.name, *packages(suite, options.quick))
        return 0
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end_all)
    report = Report(known.read(os.path.join(ROOT, "docs", "known-differences.md")))
    with tempfile.TemporaryDirectory(prefix="skmd-suites-") as scratch:
        runner = Runner(options.build, scratch, options.caches or scratch)
        for suite in chosen:
            missing = absent(packages(suite, options.quick))
            if missing:
                report.not_run.append((suite.name, f"no package {' '.join(missing)}"))
                continue
            tests = [test for test in suite.tests(options.quick) if options.only in test.name]
            print(f"== {suite.name}: {len(tests)} programs", flush=True)
            run_suite(suite, tests, runner, options.modes.split(","), options.jobs, report)
    stale = [] if options.quick or options.only else report.known.stale([suite.name for suite in chosen])
    for row in stale:
        print(f"OUT OF DATE docs/known-differences.md: {row} no longer happens")
    report.table()
    if options.report:
        with open(options.report, "w", encoding="utf-8") as file:
            json.dump({"differences": report.details, "whole": [[*key, count] for key, count in report.kernels.most_common()]}, file, indent=1)
    ours = [row for (_, mode), row in report.rows.items() if mode != BASELINE]
    print(f"{sum(row.passed for row in ours)} passed, {report.regressions + len(stale)} failed, {len(report.not_run)} suites not run")
    return 1 if report.regressions or stale or not ours else 0


if __name__ == "__main__":
    sys.exit(main())
