#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs on PoCL alone and through SKMD in several modes: every byte that the application reads must be the same, and the run
must have exercised what it is for. A program is one kernel; a case has some of them, in one OpenCL program, and their launches. Cases
that fail are reduced and saved.
"""
import argparse
import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

from cases import make_case
from reduce import reduce_case
from runner import ALL_MODES, CPU_MODES, MODES, PREEMPT_MODES, PROFILED_MODES, SVM_MODES, Judge, Runner, gpu_modes, modes_of
from tally import Tally


ENOUGH = 200  # programs, of which shares can be demanded


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", help="build folder")
    parser.add_argument("programs", type=int, nargs="?", default=300, help="how many kernels at least")
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the others have the numbers after it")
    parser.add_argument("--case", type=int, action="append", help="only this case (may be given several times)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cases at once")
    parser.add_argument("--exact", action="store_true", help="PoCL without its optimiser, on both sides")
    parser.add_argument("--thorough", action="store_true", help="every case in every mode; drivers' caches make that cheap")
    parser.add_argument("--modes", default="", help="every case in these modes, with commas between, and in no other")
    parser.add_argument("--cpu", action="store_true", help="through our own CPU driver; no kernel may go to another one")
    parser.add_argument("--svm", action="store_true", help="with all buffers in shared virtual memory, given to kernels by address")
    parser.add_argument("--preempt", action="store_true", help="with launches that are stopped at random times and go on, mostly on another device")
    parser.add_argument("--profile", action="store_true", help="in profiling mode (skmd-profile run), which must not be seen; most kernels must be timed")
    parser.add_argument("--gpus", default="", help="through these GPUs and the processor: selectors with commas between")
    parser.add_argument("--alone", default="", help="the .icd file of the driver that says what is right, instead of PoCL's; no case is reduced")
    parser.add_argument("--legal", action="store_true", help="also look for data races and stray accesses by oclgrind")
    parser.add_argument("--save", default="random-failures", help="folder for cases that fail")
    parser.add_argument("--no-reduce", action="store_true", help="save cases that fail as they are only")
    parser.add_argument("--record", help="file for what was done, as JSON")
    options = parser.parse_args()
    options.gpu_modes = gpu_modes(options.gpus.split(",")) if options.gpus else {}
    ALL_MODES.update(options.gpu_modes)
    options.modes = [name for name in options.modes.split(",") if name]
    known = MODES | CPU_MODES | SVM_MODES | PROFILED_MODES | PREEMPT_MODES | options.gpu_modes
    if unknown := [name for name in options.modes if name not in known]:
        parser.error(f"--modes: {unknown[0]} is none of {', '.join(known)}")
    if options.profile and (others := [name for name in ("cpu", "svm", "gpus") if getattr(options, name)]):
        parser.error(f"--profile has modes of its own, and does not go with --{others[0]}")
    options.no_reduce = options.no_reduce or bool(options.alone)
    return options


def rounds(options, tally):
    """Lists of cases: one, and then as many as are missing because PoCL could not run some."""
    if options.case:
        yield [make_case(seed) for seed in options.case]
        return
    seed = options.seed
    while len(tally.features) < options.programs:
        cases, programs = [], len(tally.features)
        while programs < options.programs:
            cases.append(make_case(seed))
            programs += len(cases[-1].kernels)
            seed += 1
        yield cases


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.tally = Tally()
        self.failed, self.start = 0, time.monotonic()
        self.commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout.strip()

    def one(self, made):
        """A case's verdict; runs in a thread of its own."""
        runner = Runner(self.options.build, f"{self.folder}/{made.seed}", self.options.exact, self.options.alone)
        os.makedirs(runner.folder, exist_ok=True)
        path = f"{runner.folder}/{made.seed}.case"
        with open(path, "w", encoding="utf-8") as file:
            file.write(made.case.text())
        verdict = Judge(runner, path, made.seed, self.options.legal, self.modes(made.seed)).judge()
        self.count_elsewhere(verdict)
        if verdict.failures:
            self.keep(made, runner, verdict)
        runner.forget()
        return made, verdict

    def modes(self, seed):
        if self.options.modes:
            return self.options.modes
        if self.options.gpu_modes:
            names = list(self.options.gpu_modes)
            return names if self.options.thorough else [names[seed % len(names)], names[(seed + 1) % len(names)]]
        if self.options.preempt:
            return list(PREEMPT_MODES) if self.options.thorough else modes_of(seed, preempt=True)
        if self.options.svm:
            return list(SVM_MODES) if self.options.thorough else modes_of(seed, svm=True)
        if self.options.cpu:
            return list(CPU_MODES) if self.options.thorough else modes_of(seed, cpu=True)
        if self.options.profile:
            return list(PROFILED_MODES) if self.options.thorough else modes_of(seed, profile=True)
        return list(MODES) if self.options.thorough else None

    def count_elsewhere(self, verdict):
        """A kernel without code of ours is right, and yet a failure."""
        if not self.options.cpu:
            return
        for mode, stats in verdict.stats.items():
            for kernel in (stats or {}).get("other_cpu_driver", {}).get("kernels", []):
                verdict.failures.append((mode, f"kernel {kernel['name']} went to another CPU driver: {kernel['reason']}"))

    def keep(self, made, runner, verdict):
        mode = verdict.failures[0][0]
        os.makedirs(self.options.save, exist_ok=True)
        path = f"{self.options.save}/{made.seed}"
        with open(f"{path}.case", "w", encoding="utf-8") as file:
            file.write(made.case.text())
        for name, text in {"expected": verdict.expected, **verdict.found}.items():
            with open(f"{path}.{name}", "w", encoding="utf-8") as file:
                file.write(text or "")
        if not self.options.no_reduce and mode != "plain":
            with open(f"{path}-reduced.case", "w", encoding="utf-8") as file:
                file.write(reduce_case(made.case, runner, mode, made.seed).text())

    def take(self, made, verdict):
        self.tally.add(made, verdict)
        self.failed += bool(verdict.failures)
        for fault in verdict.pocl:
            print(f"PoCL's fault, case {made.seed}: {fault}", flush=True)
        for mode, text in verdict.failures:
            print(f"FAILED case {made.seed} in mode {mode}: {text}", flush=True)
        if verdict.failures:
            words = "".join(f" --{name}" for name in ("exact", "cpu", "svm", "preempt", "profile", "thorough") if getattr(self.options, name))
            print(f"  again: scripts/random-kernels.sh --case {made.seed}{words}   saved: {self.options.save}/{made.seed}*.case", flush=True)
        if self.tally.cases % 50 == 0:
            print(f"… {self.tally.cases} cases, {len(self.tally.features)} programs, {self.failed} failed", flush=True)

    def complaints(self):
        if self.options.profile:
            return self.tally.too_little_profiled()
        if len(self.tally.features) < ENOUGH or self.options.modes:
            return []
        if self.options.preempt:
            return self.tally.too_few_stops()
        some = self.options.cpu or self.options.svm or self.options.gpu_modes
        return self.tally.too_little() if not some else []

    def record(self, path, failures):
        command = " ".join(["scripts/random-kernels.sh", *sys.argv[2:]])
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"commit": self.commit, "command": command, "seconds": round(time.monotonic() - self.start), "failures": failures,
                       **self.tally.record()}, file, indent=1)
            file.write("\n")


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was done until then is told
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        run, complaints = Run(options, folder), []
        try:
            for cases in rounds(options, run.tally):
                for made, verdict in pool.map(run.one, cases):
                    run.take(made, verdict)
        except KeyboardInterrupt:
            complaints.append("ended before it was done")
            pool.shutdown(cancel_futures=True)
    run.tally.report()
    complaints += run.complaints()
    for complaint in complaints:
        print(f"FAILED {complaint}")
    failures = run.failed + len(complaints)
    if options.record:
        run.record(options.record, failures)
    if options.preempt:
        stops = run.tally.stops
        print(f"{stops['stops']} stops, {stops['resumed_groups']} resumed inside kernels")
    print(f"{len(run.tally.features)} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
