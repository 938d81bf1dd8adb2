#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs through the code generator: what item by item computes, every width and instruction set has to compute, byte for byte.

    random_code_test.py SKMD_COMPILE SPAN_CASES [PROGRAMS] [--seed S] [--case SEED]… [--thorough] [--stops] [--pocl RANDOM_CASES] [--jobs J] [--save FOLDER]

A program is one kernel; a case has some of them (tests/driver/random). Each case runs in three ways besides item by item, in all with
--thorough. --pocl also compares with PoCL without its optimiser. --stops instead: kernels stop at every yield point of every loop, and
go on by the code of another width and instruction set; a line before the last says how often. The last line is `N programs, M failures`.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "driver", "random"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import processor  # noqa: E402
from cases import make_case, one_unit_seeds  # noqa: E402
from units import parts  # noqa: E402

SECONDS = 300  # of a busy machine
REFERENCE = ("best", 1)
# What may have no code, by instruction set: such a kernel runs on another driver there.
ALLOWED = {"sse": "fused multiply-add"}
# Why a kernel has no yield points.
WHY_NOT = ("no_form_here", "device_specific_code", "divergent_barriers", "pointer_in_memory", "state_too_large", "groups_wait")
WAYS = [(isa, width) for isa in ("best", "avx2", "sse") for width in (0, 2, 4, 8, 16, 32)] + [("avx2", 1), ("sse", 1)]


def ways_of(seed, thorough):
    """Every way in a run of a few cases, and different ones together. 7 is no divisor of their number."""
    return WAYS if thorough else [WAYS[(3 * seed + k) * 7 % len(WAYS)] for k in range(3)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compiler")
    parser.add_argument("runner")
    parser.add_argument("programs", type=int, nargs="?", default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, action="append")
    parser.add_argument("--thorough", action="store_true")
    parser.add_argument("--stops", action="store_true")
    parser.add_argument("--pocl", help="random_cases, to compare with PoCL too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", default="random-code-failures", help="folder for cases that fail")
    return parser.parse_args()


def run(command, **environment):
    try:
        return subprocess.run(command, capture_output=True, timeout=SECONDS, check=False, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, b"", b"took too long")


class Trial:
    """One case in its ways. `failures`: (way, what went wrong)."""

    def __init__(self, options, seed, folder):
        self.options, self.made, self.folder, self.failures = options, make_case(seed), folder, []
        self.stops, self.stopped = 0, 0
        self.text = self.made.case.text()
        self.path = f"{folder}/{seed}.case"

    def write(self):
        headers, [(build_options, source)] = parts(self.made.case.source)
        self.build_options = ["-I", self.folder, *build_options.split()]
        files = {self.path: self.text, f"{self.folder}/{self.made.seed}.cl": source}
        files.update((f"{self.folder}/{name}", text) for name, text in headers.items())
        for name, text in files.items():
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)

    def compile_yielding(self, way):
        """Path of the code of those kernels that can be stopped, or None."""
        isa, width = way
        done = run([self.options.compiler, "--kernel-code", "--isa", isa, "--width", str(width), "--yielding", "every",
                    f"{self.folder}/{self.made.seed}.cl", *self.build_options])
        for line in done.stderr.decode(errors="replace").splitlines():
            reason = line.partition("has no code: ")[2].partition(":")[0]
            if reason and reason not in WHY_NOT and ALLOWED.get(isa, "\n") not in line:
                self.failures.append((way, "yielding: " + line))
        if not done.stdout:
            return None
        path = f"{self.folder}/{self.made.seed}.{isa}.{width}.yielding"
        with open(path, "wb") as file:
            file.write(done.stdout)
        return path

    def compile(self, way):
        """Path of the code, or None."""
        isa, width = way
        done = run([self.options.compiler, "--kernel-code", "--isa", isa, "--width", str(width), f"{self.folder}/{self.made.seed}.cl",
                    *self.build_options])
        if done.returncode != 0:
            text = done.stderr.decode(errors="replace")
            notes = [line for line in text.splitlines() if "has no code" in line]
            level = processor.usable_here()[-1] if isa == "best" else isa
            if not notes or not all(ALLOWED.get(level, "\n") in note for note in notes):
                self.failures.append((way, "; ".join(notes) or "not compiled: " + text.strip()[-600:]))
            return None
        path = f"{self.folder}/{self.made.seed}.{isa}.{width}"
        with open(path, "wb") as file:
            file.write(done.stdout)
        return path

    def results(self, codes):
        """{path: lines} of span_cases."""
        answers, lines = {}, None
        for line in run([self.options.runner, self.path, *codes]).stdout.decode().splitlines():
            if line.startswith("code "):
                lines = answers.setdefault(line[5:], [])
            else:
                lines.append(line)
        return answers

    def go_stopping(self):
        """All items of the reference against kernels that stop, in pairs of ways."""
        self.write()
        plain = self.compile(REFERENCE)
        ways = ways_of(self.made.seed, False)
        codes = [self.compile_yielding(way) for way in ways]
        if plain is None or None in codes:
            return self.leave()
        both = [f"{plain}+{codes[0]}+{codes[1]}", f"{plain}+{codes[2]}"]
        answers = self.results([plain, *both])
        for way, path in zip((ways[0], ways[2]), both):
            lines = answers.get(path, ["error it has not run"])
            counts = [line.split() for line in lines if line.startswith("stops ")]
            self.stops += sum(int(words[1]) for words in counts)
            self.stopped += sum(int(words[3]) for words in counts)
            self.judge(way, [line for line in lines if not line.startswith("stops ")], answers.get(plain, []))
        return self.leave()

    def judge(self, way, lines, expected):
        errors = [line for line in lines if line.startswith("error ")]
        if errors and not (self.foreign(errors)):
            self.failures.append((way, errors[0]))
        elif not errors and lines != expected:
            different = next((f"{a} instead of {b}" for a, b in zip(lines, expected) if a != b), "other results")
            self.failures.append((way, different))

    @staticmethod
    def foreign(errors):
        """Code that this machine cannot run is only compiled."""
        return "for another machine" in errors[0]

    def go(self):
        self.write()
        codes = {way: self.compile(way) for way in [REFERENCE, *ways_of(self.made.seed, self.options.thorough)]}
        if codes[REFERENCE] is None:  # nothing to compare with; a failure is noted if it should have code
            return self.leave()
        answers = self.results([path for path in codes.values() if path])
        expected = answers.get(codes[REFERENCE], [])
        self.judge(REFERENCE, expected, expected)
        if self.options.pocl:
            self.compare_with_pocl(expected)
        for way, path in codes.items():
            if path and way != REFERENCE:
                self.judge(way, answers.get(path, ["error it has not run"]), expected)
        return self.leave()

    def leave(self):
        for name in os.listdir(self.folder):
            os.unlink(f"{self.folder}/{name}")
        return self

    def compare_with_pocl(self, expected):
        done = run([self.options.pocl, self.path], POCL_DEVICES="pthread", POCL_EXTRA_BUILD_FLAGS="-cl-opt-disable",
                   POCL_CACHE_DIR=f"{self.folder}-pocl")
        lines = [line for line in done.stdout.decode().splitlines() if not line.startswith("case ") and line != "end"]
        if done.returncode == 0 and lines != expected:
            different = next((f"{a} instead of {b}" for a, b in zip(expected, lines) if a != b), "other results")
            self.failures.append((REFERENCE, "unlike PoCL: " + different))


def main():
    options = arguments()
    seeds = options.case or one_unit_seeds(options.seed, options.programs)
    programs, failed, stops, stopped = 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        def trial(seed):
            os.mkdir(f"{folder}/{seed}")
            made = Trial(options, seed, f"{folder}/{seed}")
            return made.go_stopping() if options.stops else made.go()

        for done in pool.map(trial, seeds):
            programs += len(done.made.kernels)
            failed += bool(done.failures)
            stops, stopped = stops + done.stops, stopped + done.stopped
            for (isa, width), text in done.failures:
                print(f"FAILED case {done.made.seed}, {isa} width {width}: {text}", flush=True)
            if done.failures:
                os.makedirs(options.save, exist_ok=True)
                for suffix, text in (("case", done.text), ("cl", done.made.case.source)):
                    with open(f"{options.save}/{done.made.seed}.{suffix}", "w", encoding="utf-8") as file:
                        file.write(text)
    if options.stops:
        print(f"{stops} stops in {stopped} groups")
    print(f"{programs} programs, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
