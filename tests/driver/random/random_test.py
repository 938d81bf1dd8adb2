#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs on PoCL alone and through SKMD in several modes: every byte that the application reads must be the same, and the run
must have exercised what it is for. A program is one kernel; a case has some of them, in one OpenCL program, and their launches. Cases
that fail are reduced and saved.
"""
import argparse
import concurrent.futures
import os
import sys
import tempfile

from cases import make_case
from reduce import reduce_case
from runner import Judge, Runner
from tally import POCL_SHARE, Tally


ENOUGH = 200  # programs, of which shares can be demanded


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", help="build folder")
    parser.add_argument("programs", type=int, nargs="?", default=300, help="how many kernels at least")
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the others have the numbers after it")
    parser.add_argument("--case", type=int, action="append", help="only this case (may be given several times)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at once")
    parser.add_argument("--exact", action="store_true", help="PoCL without its optimiser, on both sides")
    parser.add_argument("--legal", action="store_true", help="also look for data races and stray accesses by oclgrind")
    parser.add_argument("--save", default="random-failures", help="folder for cases that fail")
    parser.add_argument("--no-reduce", action="store_true", help="save cases that fail as they are only")
    return parser.parse_args()


def chosen_cases(options):
    if options.case:
        yield from map(make_case, options.case)
        return
    seed, programs = options.seed, 0
    while programs < options.programs:
        made = make_case(seed)
        programs += len(made.kernels)
        seed += 1
        yield made


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tally = Tally()
        self.failed, self.pocl = 0, 0

    def one(self, made):
        """A case's verdict; runs in a thread of its own."""
        runner = Runner(self.options.build, f"{self.folder}/{made.seed}", self.options.exact)
        os.makedirs(runner.folder, exist_ok=True)
        path = f"{runner.folder}/{made.seed}.case"
        with open(path, "w", encoding="utf-8") as file:
            file.write(made.case.text())
        verdict = Judge(runner, path, made.seed, self.options.legal).judge()
        if verdict.failures:
            self.keep(made, runner, verdict.failures[0][0])
        runner.forget()
        return made, verdict

    def keep(self, made, runner, mode):
        os.makedirs(self.options.save, exist_ok=True)
        path = f"{self.options.save}/{made.seed}"
        with open(f"{path}.case", "w", encoding="utf-8") as file:
            file.write(made.case.text())
        if not self.options.no_reduce and mode != "plain":
            with open(f"{path}-reduced.case", "w", encoding="utf-8") as file:
                file.write(reduce_case(made.case, runner, mode, made.seed).text())

    def take(self, made, verdict):
        self.tally.add(made, verdict)
        self.failed += bool(verdict.failures)
        self.pocl += bool(verdict.pocl)
        for fault in verdict.pocl:
            print(f"PoCL's fault, case {made.seed}: {fault}", flush=True)
        for mode, text in verdict.failures:
            print(f"FAILED case {made.seed} in mode {mode}: {text}", flush=True)
        if verdict.failures:
            exact = " --exact" if self.options.exact else ""
            print(f"  again: scripts/random-kernels.sh --case {made.seed}{exact}   saved: {self.options.save}/{made.seed}*.case", flush=True)

    def complaints(self, cases):
        if len(self.tally.features) < ENOUGH:
            return []
        complaints = self.tally.too_little()
        if self.pocl > 1 + POCL_SHARE * cases:
            complaints.append(f"PoCL was at fault in {self.pocl} of {cases} cases")
        return complaints


def main():
    options = arguments()
    cases = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        run = Run(options, folder)
        for made, verdict in pool.map(run.one, chosen_cases(options)):
            run.take(made, verdict)
            cases += 1
            if cases % 50 == 0:
                print(f"… {cases} cases, {len(run.tally.features)} programs, {run.failed} failed", flush=True)
    run.tally.report()
    complaints = run.complaints(cases)
    for complaint in complaints:
        print(f"FAILED {complaint}")
    programs = len(run.tally.features)
    print(f"{cases} cases, {len(run.tally.split)} programs split, PoCL at fault in {run.pocl} cases")
    print(f"{programs} programs, {run.failed + len(complaints)} failures")
    return 1 if run.failed or complaints else 0


if __name__ == "__main__":
    sys.exit(main())
