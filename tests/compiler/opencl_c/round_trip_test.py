#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels against their own OpenCL C text (skmd-compile --opencl-c), both on PoCL.

    round_trip_test.py --compiler SKMD_COMPILE --as-text LIBRARY random RANDOM_CASES [PROGRAMS] [--seed S] [--optimised]
    round_trip_test.py … workloads FOLDER [NAME]…

random: random programs (tests/driver/random), without PoCL's optimiser, which makes mistakes, or with it: every byte that the
application reads must be the same. No kernel may be without text, but for what ALLOWED says. workloads: the programs of bench/ compare
their results with references of their own. The last line is `N kernels as text, M of their own, F failures`."""
import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "driver", "random"))
from cases import make_case, one_unit_seeds  # noqa: E402

SECONDS = 300  # of a busy machine
# Kernels with events have no text: such a kernel cannot be stopped inside of groups either.
ALLOWED = ("it calls _Z21async_work_group_copy", "it calls _Z29async_work_group_strided_copy", "it calls _Z17wait_group_events")
WORKLOADS = ("aes_decrypt", "aes_encrypt", "binomial_option", "black_scholes", "box_muller", "fdtd3d", "histogram", "matrix_multiplication",
             "matrix_transpose", "median_filter", "mersenne_twister", "nbody", "reduction", "scan_large_arrays", "sobel_filter", "vector_add",
             "bfs_level", "mandelbrot", "quadrature", "ray_march", "spmv", "cholesky", "fft_2d", "monte_carlo")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--as-text", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--optimised", action="store_true")
    parser.add_argument("--save", default="opencl-c-failures", help="folder for cases that fail")
    parser.add_argument("what", choices=("random", "workloads"))
    parser.add_argument("at")
    parser.add_argument("more", nargs="*")
    return parser.parse_args()


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.as_text, self.own, self.failures = 0, 0, 0
        self.environment = {**os.environ, "OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd", "POCL_DEVICES": "pthread",
                            "POCL_CACHE_DIR": f"{folder}/pocl"}
        if options.what == "random" and not options.optimised:
            self.environment["POCL_EXTRA_BUILD_FLAGS"] = "-cl-opt-disable"

    def run(self, command, **more):
        try:
            return subprocess.run(command, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL,
                                  env={**self.environment, **more})
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(command, 124, b"", b"took too long")

    def with_texts(self, command):
        """The process, and what kept kernels from being texts."""
        log = f"{self.folder}/log"
        with open(log, "w", encoding="utf-8"):
            pass
        done = self.run(command, LD_PRELOAD=self.options.as_text, AS_TEXT_LOG=log, AS_TEXT_COMPILER=self.options.compiler)
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        self.as_text += sum(line.startswith("text ") for line in lines)
        self.own += sum(line.startswith("own ") for line in lines)
        reasons = [line.partition(": ")[2] for line in lines if line.startswith("kernel ") and ": " in line and "(" not in line.partition(":")[0]]
        if any(line.startswith("the text is not built") for line in lines):
            reasons.append("the text is not built: " + "\n".join(lines)[:2000])
        return done, [reason for reason in reasons if not reason.startswith(ALLOWED)]

    def judge(self, name, done, wrong, reasons):
        problem = wrong or (f"exit status {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}" if done.returncode != 0 else "")
        if problem or reasons:
            self.failures += 1
            print(f"FAILED {name}: {problem or 'a kernel without text: ' + reasons[0]}", flush=True)
        return bool(problem or reasons)

    def random(self):
        for seed in one_unit_seeds(self.options.seed, int(self.options.more[0]) if self.options.more else 60):
            path = f"{self.folder}/{seed}.case"
            text = make_case(seed).case.text()
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            expected = self.run([self.options.at, path])
            done, reasons = self.with_texts([self.options.at, path])
            pairs = zip(expected.stdout.decode().splitlines(), done.stdout.decode().splitlines())
            wrong = "" if expected.stdout == done.stdout else next((f"{b} instead of {a}" for a, b in pairs if a != b), "other results")
            if self.judge(f"case {seed}", done, wrong, reasons):
                os.makedirs(self.options.save, exist_ok=True)
                os.replace(path, f"{self.options.save}/{seed}.case")

    def workloads(self):
        for name in self.options.more or WORKLOADS:
            done, reasons = self.with_texts([f"{self.options.at}/{name}", "--size", "small", "--check"])
            right = b'"checked":"all"' in done.stdout and b'"ok":true' in done.stdout
            self.judge(name, done, "" if right else f"not right: {done.stdout.decode()[-300:]}", reasons)


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options, folder)
        getattr(run, options.what)()
    print(f"{run.as_text} kernels as text, {run.own} of their own, {run.failures} failures")
    return 1 if run.failures or run.as_text <= run.own else 0


if __name__ == "__main__":
    sys.exit(main())
