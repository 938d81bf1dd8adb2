#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Random cases (cases.py) on PoCL alone and through SKMD in several modes: every byte that the application reads must be
the same. And the modes that split whatever can be split must really have split most launches, on each rung that exists.

usage: random_test.py BUILD [SEED…]   SKMD_TEST_SEEDS=N: N seeds instead of the usual ones; the named ones only, if any are
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

from cases import make_case

FIRST_SEED, SEEDS, CHUNK, SECONDS = 1, 40, 4, 300
TWO, THREE = "pthread basic", "pthread basic pthread"
DISCRETE = "portable:pthread@discrete,portable:basic@discrete"
# name: POCL_DEVICES, --devices, --partition, share of the launches that have to be split
MODES = {
    "equal": (TWO, DISCRETE, "equal", 0.6),
    "in_place": (TWO, "portable:pthread,portable:basic", "equal", 0.6),
    "mixed": (TWO, "portable:pthread@discrete,portable:basic", "fixed:40,60", 0.5),
    "three": (THREE, "portable:0@discrete,portable:1,portable:2@discrete", "fixed:20,50,30", 0.6),
    "single": (TWO, DISCRETE, "single", 0.0),
    "auto": (TWO, DISCRETE, "auto", 0.0),
}
UNLINKED = "undefined symbol: _work_dim"  # PoCL 3.1 aborts on some kernels that ask for the work dimension
EXACT = {"POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}


class Runner:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.left_out = 0

    def path(self, seed):
        return f"{self.folder}/{seed}.case"

    def run(self, seeds, mode, extra=None):
        """What each case printed (None if it did not end), what went wrong beside that, and statistics."""
        program = [f"{self.build}/tests/driver/random/random_cases", *(self.path(s) for s in seeds)]
        kind = "exact" if extra else "usual"
        environment = {**os.environ, "POCL_DEVICES": "pthread", "POCL_CACHE_DIR": f"{self.folder}/pocl-{kind}", **(extra or {})}
        stats = None
        if mode:
            environment["POCL_DEVICES"], devices, partition, _ = MODES[mode]
            stats = f"{self.folder}/stats-{mode}-{seeds[0]}-{kind}.json"
            program = [f"{self.build}/bin/skmd-run", "--devices", devices, "--partition", partition, "--stats", stats,
                       "--cache-dir", f"{self.folder}/cache", "--", *program]
        os.makedirs(environment["POCL_CACHE_DIR"], exist_ok=True)
        try:
            done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
            output, errors, status = done.stdout, done.stderr, done.returncode
        except subprocess.TimeoutExpired as late:
            output, errors, status = (late.stdout or b"").decode(), "", f"hung for {SECONDS} s"
        found = dict.fromkeys(seeds)
        for text in output.split("case ")[1:]:
            head, _, body = text.partition("\n")
            if body.endswith("end\n"):
                found[int(os.path.basename(head).removesuffix(".case"))] = body
        counted = None
        if stats and os.path.exists(stats):
            with open(stats, encoding="utf-8") as file:
                counted = json.load(file)
        return found, f"exit {status} {errors[-400:]}", counted

    def chunk(self, seeds):
        """Failures of these seeds and the statistics of each mode."""
        for seed in seeds:
            with open(self.path(seed), "w", encoding="utf-8") as file:
                file.write(make_case(seed))
        failures, counted = [], {}
        seeds, expected = self.plain(seeds)
        for seed in [s for s in seeds if "error" in expected[s]]:
            failures.append(f"{seed}: the case is at fault: {expected[seed][:300]}")
            seeds.remove(seed)
        for mode in MODES if seeds else ():
            found, trouble, counted[mode] = self.run(seeds, mode)
            wrong = [s for s in seeds if found[s] != expected[s]]
            for seed in wrong:
                failures += self.judge(seed, mode, expected[seed])
            if not wrong and not trouble.startswith("exit 0 "):
                failures.append(f"{seeds} {mode}: right, but {trouble}")
        return failures, counted

    def plain(self, seeds):
        """The seeds with which PoCL alone gets along, and what they give."""
        expected, _, _ = self.run(seeds, None)
        if None in expected.values():
            for seed in seeds:
                alone, trouble, _ = self.run([seed], None)
                expected.update(alone)
                if alone[seed] is None:
                    print(f"PoCL {seed}: fails by itself: {trouble.splitlines()[-2:]}")
                    self.left_out += 1
        return [s for s in seeds if expected[s] is not None], expected

    def judge(self, seed, mode, expected):
        """A failure by itself, unless PoCL's optimiser is to blame: it computes some kernels wrongly."""
        found, trouble, _ = self.run([seed], mode)
        if found[seed] == expected:
            return [f"{seed} {mode}: differs only after other cases in one process"]
        if found[seed] is not None:
            exact, _, _ = self.run([seed], None, EXACT)
            split, _, _ = self.run([seed], mode, EXACT)
            if exact[seed] == split[seed] and exact[seed] is not None:
                print(f"PoCL {seed} {mode}: right without the vendor's optimiser; " +
                      ("so is the plain driver" if exact[seed] != expected else "the plain driver is right with it"))
                return [] if exact[seed] != expected else [f"{seed} {mode}: wrong with the vendor's optimiser only"]
        if UNLINKED in trouble:
            print(f"PoCL {seed} {mode}: {UNLINKED}")
            self.left_out += 1
            return []
        return [f"{seed} {mode}: {difference(expected, found[seed]) if found[seed] else trouble}"]


def difference(expected, found):
    pairs = zip(expected.splitlines(), found.splitlines())
    return next((f"expected {a}, found {b}" for a, b in pairs if a != b), found)


def too_few(counted):
    """What the splitting modes did not do; a test that splits nothing proves nothing."""
    failures = []
    for mode, (_, _, _, share) in MODES.items():
        kernels = [k for stats in counted for k in (stats.get(mode) or {"kernels": []})["kernels"]]
        launches, split = sum(k["launches"] for k in kernels), sum(k["split_launches"] for k in kernels)
        rungs = ("disjoint",) if mode == "in_place" else ("disjoint", "diff")  # in one memory there is nothing to join
        rungs = {rung: sum(k["merge"][rung] for k in kernels) for rung in rungs}
        reasons = {}
        for kernel in kernels:
            for reason, count in kernel["not_split"].items():
                reasons[reason] = reasons.get(reason, 0) + count
        print(f"{mode}: {split} of {launches} launches split, buffers merged {rungs}, whole for {reasons}")
        if launches == 0 or (share > 0 and (split < share * launches or 0 in rungs.values())):
            failures.append(f"{mode}: {split} of {launches} launches were split, merged {rungs}")
    return failures


def main():
    build, named = sys.argv[1], [int(s) for s in sys.argv[2:]]
    seeds = named or list(range(FIRST_SEED, FIRST_SEED + int(os.environ.get("SKMD_TEST_SEEDS", SEEDS))))
    chunks = [seeds[i:i + CHUNK] for i in range(0, len(seeds), CHUNK)]
    failures, counted = [], []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runner = Runner(build, folder)
        for found, stats in pool.map(runner.chunk, chunks):
            for failure in found:
                print(f"FAILED {failure}", flush=True)
            failures += found
            counted.append(stats)
    if not named:
        failures += too_few(counted)
        if runner.left_out > 1 + len(seeds) // 10:
            failures.append(f"{runner.left_out} cases were left out")
    print(f"{len(seeds)} cases, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
