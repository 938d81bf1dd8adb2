# SPDX-License-Identifier: Apache-2.0
"""Carries a case out on PoCL alone, through SKMD in several modes, and on oclgrind; says whose fault a difference is."""
import json
import os
import random
import re
import shutil
import subprocess
from dataclasses import dataclass, field

SECONDS = 240
LEAST = 20  # percent of the groups for each device
TWO, THREE = "pthread basic", "pthread basic pthread"
DISCRETE = "portable:pthread@discrete,portable:basic@discrete"
EXACT = {"POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}
UNLINKED = "undefined symbol: _work_dim"  # PoCL 3.1 aborts on some kernels that ask for the work dimension


@dataclass
class Mode:
    """`partition` may be `random`: percentages drawn from the case's seed. Every case runs in a mode of each group,
    and in two of those without one."""
    pocl_devices: str
    devices: str
    partition: str
    splits: bool = False
    group: str = ""
    options: tuple = ()
    rungs: str = ""  # only these of the merge ladder


MODES = {
    "two": Mode(TWO, DISCRETE, "random", splits=True, group="two"),
    "replay": Mode(TWO, DISCRETE, "random", splits=True, group="two", rungs="disjoint,kernel,reduce"),
    "three": Mode(THREE, "portable:0@discrete,portable:1,portable:2@discrete", "random", splits=True, group="three"),
    "equal": Mode(TWO, DISCRETE, "equal", splits=True),
    "in_place": Mode(TWO, "portable:pthread,portable:basic", "random", splits=True),
    "mixed": Mode(TWO, "portable:pthread@discrete,portable:basic", "random", splits=True),
    "verify": Mode(TWO, DISCRETE, "random", splits=True, options=("--verify",)),
    "diff": Mode(TWO, DISCRETE, "random", splits=True, rungs="disjoint,diff"),
    "single1": Mode(TWO, DISCRETE, "single:1"),
    "auto": Mode(TWO, DISCRETE, "auto"),
}


def modes_of(seed):
    groups = {}
    for name, mode in MODES.items():
        groups.setdefault(mode.group, []).append(name)
    others = groups.pop("")
    first, second = (2 * seed % len(others), (2 * seed + 1) % len(others))
    return [names[seed % len(names)] for names in groups.values()] + [others[first], others[second]]


def partition(mode, seed):
    if mode.partition != "random":
        return mode.partition
    rng, count = random.Random(f"partition {seed}"), len(mode.devices.split(","))
    shares = [LEAST] * count
    for _ in range(100 - LEAST * count):
        shares[rng.randrange(count) if rng.random() < 0.5 else 0] += 1
    rng.shuffle(shares)
    return "fixed:" + ",".join(map(str, shares))


@dataclass
class Answer:
    """What a case printed, None if it did not end; what else there was; the statistics, if any."""
    output: str
    trouble: str
    stats: dict


@dataclass
class Verdict:
    """What came of one case. `pocl`: faults of the vendor's, which count for nothing but are told."""
    failures: list = field(default_factory=list)  # (mode, text)
    pocl: list = field(default_factory=list)
    stats: dict = field(default_factory=dict)     # by mode


class Runner:
    """Runs one case file; everything it leaves is in `folder`."""

    def __init__(self, build, folder, exact):
        self.build, self.folder, self.exact = build, folder, exact

    def execute(self, program, environment):
        try:
            done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)
            output, errors, status = done.stdout, done.stderr, f"exit {done.returncode}"
        except subprocess.TimeoutExpired as late:
            output, errors, status = (late.stdout or b"").decode(), (late.stderr or b"").decode(), f"hung for {SECONDS} s"
        body = output.partition("\n")[2]
        errors = "\n".join(line for line in errors.splitlines() if "warning" not in line)
        return Answer(body[:-4] if body.endswith("end\n") else None, f"{status} {errors[-400:]}", None)

    def environment(self, devices, exact):
        cache = f"{self.folder}/pocl-{'exact' if exact else 'usual'}"
        os.makedirs(cache, exist_ok=True)
        return {**os.environ, "POCL_DEVICES": devices, "POCL_CACHE_DIR": cache, **(EXACT if exact else {})}

    def program(self, path):
        return [f"{self.build}/tests/driver/random/random_cases", path]

    def plain(self, path, exact=None):
        return self.execute(self.program(path), self.environment("pthread", self.exact if exact is None else exact))

    def skmd(self, path, name, seed, exact=None):
        mode, stats = MODES[name], f"{self.folder}/stats.json"
        command = [f"{self.build}/bin/skmd-run", "--devices", mode.devices, "--partition", partition(mode, seed), "--stats", stats,
                   "--cache-dir", f"{self.folder}/cache", *mode.options, "--", *self.program(path)]
        environment = self.environment(mode.pocl_devices, self.exact if exact is None else exact)
        if mode.rungs:
            environment["SKMD_TEST_RUNGS"] = mode.rungs
        answer = self.execute(command, environment)
        if os.path.exists(stats):
            with open(stats, encoding="utf-8") as file:
                answer.stats = json.load(file)
            os.remove(stats)
        return answer

    def oclgrind(self, path, *options):
        return self.execute(["oclgrind", *options, *self.program(path)], dict(os.environ))

    def illegal(self, path):
        """What oclgrind has against the case."""
        trouble = self.oclgrind(path, "--data-races", "--max-errors", "1").trouble
        return trouble if re.search(r"race|Invalid|error", trouble) else ""

    def forget(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Judge:
    """Runs a case in all its modes."""

    def __init__(self, runner, path, seed, legal=False):
        self.runner, self.path, self.seed, self.legal = runner, path, seed, legal
        self.verdict = Verdict()
        self.expected = self.reference = None

    def judge(self):
        plain = self.runner.plain(self.path)
        self.expected = plain.output
        if plain.output is None:
            self.verdict.pocl.append(f"fails by itself: {plain.trouble[-200:]}")
            return self.verdict
        if "error" in plain.output:
            self.verdict.failures.append(("plain", f"the case is at fault: {plain.output[:300]}"))
            return self.verdict
        if self.legal and (complaint := self.runner.illegal(self.path)):
            self.verdict.failures.append(("plain", f"the case is at fault: {complaint}"))
        for name in modes_of(self.seed):
            self.try_mode(name)
        return self.verdict

    def try_mode(self, name):
        answer = self.runner.skmd(self.path, name, self.seed)
        self.verdict.stats[name] = answer.stats
        if answer.output == self.expected:
            if not answer.trouble.startswith("exit 0"):
                self.verdict.failures.append((name, f"right, but {answer.trouble}"))
            return
        if answer.output is None:
            blame = self.verdict.pocl if UNLINKED in answer.trouble else self.verdict.failures
            blame.append((name, answer.trouble))
            return
        self.compare(name, answer)

    def compare(self, name, answer):
        """oclgrind is the reference. What only the vendor's optimiser gets wrong, on the application's text or on ours, is the
        vendor's, as long as it is wrong in the same way each time."""
        if self.reference is None:
            self.reference = self.runner.oclgrind(self.path).output
        reference = self.reference or self.expected
        unoptimised = self.runner.skmd(self.path, name, self.seed, exact=True)
        if unoptimised.output != reference:
            self.verdict.failures.append((name, difference(reference, unoptimised.output or unoptimised.trouble)))
        elif self.expected != reference:
            self.verdict.pocl.append((name, f"PoCL alone is wrong: {difference(reference, self.expected)}"))
        elif not self.runner.exact and self.runner.skmd(self.path, name, self.seed).output == answer.output:
            self.verdict.pocl.append((name, f"PoCL's optimiser is wrong on a slice's text: {difference(reference, answer.output)}"))
        else:
            self.verdict.failures.append((name, f"not every time: {difference(reference, answer.output)}"))


def difference(expected, found):
    pairs = zip(expected.splitlines(), found.splitlines())
    return next((f"expected {a}, found {b}" for a, b in pairs if a != b), found[:300])
