# SPDX-License-Identifier: Apache-2.0
"""Carries a case out on PoCL alone, through SKMD in several modes, and on oclgrind; says whose fault a difference is."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field

SECONDS = 600  # a busy machine may take minutes
ALONE_SECONDS = 120  # of the driver that says what is right: PoCL 3.1 never ends some loops with several barriers
LEAST = 20  # percent of the groups for each device
TWO, THREE = "pthread basic", "pthread basic pthread"
DISCRETE = "portable:pthread@discrete,portable:basic@discrete"
EXACT = {"POCL_EXTRA_BUILD_FLAGS": "-cl-opt-disable"}
POCL = "/etc/OpenCL/vendors/pocl.icd"
AGAIN = 2  # times that the optimiser has to repeat its mistake
# What PoCL is at fault for: it crashes or aborts; it is wrong alone where SKMD is right; it is wrong on what SKMD gave it.
CRASH, ALONE, SLICED = "crash", "wrong alone", "wrong on a slice"
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
    cpu: bool = False  # our own CPU driver, where `devices` says cpu
    svm: bool = False  # buffers are shared virtual memory
    profiled: str = ""  # each new launch is first run in so many spans on copies (profiling mode)
    preempt: str = ""  # launches are stopped, and what is left goes on: "stay" on the same device, "other" on another
    cpus: str = ""  # SKMD_TEST_CPUS: devices of our own CPU driver
    inside: bool = False  # launches are stopped inside of work-groups, in every loop
    moves: tuple = ()  # of two devices: what groups do that go to the first, and to the second, having been stopped inside on the other


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

# Our own CPU driver against PoCL's: a run of their own, one of them for each case.
CPU_MODES = {
    "cpu": Mode(TWO, "cpu", "single", cpu=True),
    "cpu_one_thread": Mode(TWO, "cpu", "single", cpu=True),
    "cpu_split": Mode(TWO, "cpu@discrete,portable:basic@discrete", "random", splits=True, cpu=True),
    "cpu_in_place": Mode(TWO, "cpu,portable:basic", "random", splits=True, cpu=True),
}
# Buffers in shared virtual memory: one device at least is in the host's.
SVM_MODES = {
    "svm": Mode(TWO, "portable:pthread@discrete,portable:basic", "random", splits=True, svm=True),
    "svm_cpu": Mode(TWO, "cpu,portable:basic@discrete", "random", splits=True, cpu=True, svm=True),
    "svm_in_place": Mode(TWO, "portable:pthread,portable:basic", "random", splits=True, svm=True),
    "svm_replay": Mode(TWO, "cpu,portable:basic@discrete", "random", splits=True, cpu=True, svm=True, rungs="disjoint,kernel,reduce"),
    "svm_auto": Mode(TWO, "cpu,portable:basic@discrete", "auto", cpu=True, svm=True),
}
# Profiling mode must not be seen: a run of its own, one of them for each case.
PROFILED_MODES = {
    "profiled": Mode(TWO, DISCRETE, "random", splits=True, profiled="random:6"),
    "profiled_in_place": Mode(TWO, "portable:pthread,portable:basic", "random", splits=True, profiled="paper"),
    "profiled_cpu": Mode(TWO, "cpu,portable:basic@discrete", "auto", cpu=True, profiled="paper"),
}
# Launches are stopped after 25 microseconds on average, or after 3 or one inside of work-groups, most of which are over by then, and what is left goes on, mostly on another device.
# In the modes of the group "moves" groups that were stopped inside move from one code to another and back: between our own CPU driver and PoCL, where kernels are stopped in
# OpenCL C of ours, and between instruction sets. Launches begin on the first device. A case runs in one of these modes and in one of the others.
MOVES = CPU_TO_POCL, POCL_TO_CPU, SSE_TO_BEST, BEST_TO_SSE = ("cpu_to_pocl", "pocl_to_cpu", "sse_to_best", "best_to_sse")


def moving(devices, *moves, partition="single:0", cpus=""):
    return Mode(THREE, devices, partition, splits=partition == "random", cpu=True, preempt="other", cpus=cpus, inside=True, group="moves", moves=moves)


PREEMPT_MODES = {
    "preempt_cut": Mode(TWO, DISCRETE, "random", splits=True, preempt="other"),
    "preempt_group": Mode(TWO, "cpu", "random", splits=True, cpu=True, preempt="other", cpus="best:1,sse:1@discrete"),
    "preempt_mixed": Mode(TWO, "cpu,portable:basic@discrete", "auto", cpu=True, preempt="other"),
    "preempt_whole": Mode(TWO, "cpu,portable:basic@discrete", "single", cpu=True, preempt="other"),
    "preempt_inside": Mode(TWO, "cpu", "random", splits=True, cpu=True, preempt="other", cpus="best:1,sse:1@discrete", inside=True),
    "preempt_inside_whole": Mode(TWO, "cpu", "single", cpu=True, preempt="other", cpus="best:1@discrete,sse:1", inside=True),
    "preempt_stay": Mode(TWO, "cpu", "single", cpu=True, preempt="stay"),
    "preempt_beside_pocl": moving("cpu,portable:basic@discrete", POCL_TO_CPU, CPU_TO_POCL, partition="random"),
    "preempt_to_basic": moving("cpu,portable:basic@discrete", POCL_TO_CPU, CPU_TO_POCL),
    "preempt_from_basic": moving("portable:basic@discrete,cpu", CPU_TO_POCL, POCL_TO_CPU),
    "preempt_to_pthread": moving("cpu@discrete,portable:2", POCL_TO_CPU, CPU_TO_POCL),
    "preempt_from_pthread": moving("portable:2,cpu@discrete", CPU_TO_POCL, POCL_TO_CPU),
    "preempt_two_codes": moving("cpu", BEST_TO_SSE, SSE_TO_BEST, cpus="sse:1@discrete,best:1"),
}
ALL_MODES = MODES | CPU_MODES | SVM_MODES | PROFILED_MODES | PREEMPT_MODES


def gpu_modes(gpus):
    """Of a machine's own GPUs, given by their selectors: with the processor in place, with it as one that copies, alone."""
    every = ",".join(gpus)
    modes = {"gpu_and_cpu": Mode("", f"cpu,{gpus[0]}", "random", splits=True, cpu=True),
             "gpu_and_copying_cpu": Mode("", f"{gpus[0]},cpu@discrete", "random", splits=True, cpu=True),
             "gpu_merges": Mode("", f"cpu,{gpus[0]}", "random", splits=True, cpu=True, rungs="disjoint,kernel@device,diff,reduce"),
             "gpu_auto": Mode("", f"cpu,{gpus[0]}", "auto", cpu=True)}
    if len(gpus) > 1:
        modes |= {"gpus": Mode("", every, "random", splits=True), "gpus_and_cpu": Mode("", f"cpu,{every}", "random", splits=True, cpu=True)}
    return modes


def modes_of(seed, cpu=False, svm=False, profile=False, preempt=False):
    if preempt:
        first, second = ([name for name, mode in PREEMPT_MODES.items() if (mode.group == "moves") == moves] for moves in (False, True))
        return [first[seed % len(first)], second[seed % len(second)]]
    chosen = {"svm": svm, "profile": profile, "cpu": cpu}
    sets = {"svm": SVM_MODES, "profile": PROFILED_MODES, "cpu": CPU_MODES}
    if wanted := [name for name, is_chosen in chosen.items() if is_chosen]:
        names = list(sets[wanted[0]])
        return [names[seed % len(names)]]
    groups = {}
    for name, mode in MODES.items():
        groups.setdefault(mode.group, []).append(name)
    others = groups.pop("")
    first, second = (2 * seed % len(others), (2 * seed + 1) % len(others))
    return [names[seed % len(names)] for names in groups.values()] + [others[first], others[second]]


def partition(mode, seed):
    if mode.partition != "random":
        return mode.partition
    rng, count = random.Random(f"partition {seed}"), len((mode.cpus or mode.devices).split(","))
    shares = [LEAST] * count
    for _ in range(100 - LEAST * count):
        shares[rng.randrange(count) if rng.random() < 0.5 else 0] += 1
    rng.shuffle(shares)
    return "fixed:" + ",".join(map(str, shares))


@dataclass
class Answer:
    """What a case printed, None if it did not end; what else there was; the statistics, if any; of profiling mode its report."""
    output: str
    trouble: str
    stats: dict
    report: dict = None


@dataclass
class Verdict:
    """What came of one case. `pocl`: faults of the vendor's, which are no failures as long as they are few."""
    failures: list = field(default_factory=list)  # (mode, text)
    pocl: list = field(default_factory=list)      # (kind, mode, text)
    ran: bool = True                              # False: PoCL alone cannot run the case at all
    expected: str = ""                            # what the driver alone gave
    found: dict = field(default_factory=dict)     # what came instead, by mode
    stats: dict = field(default_factory=dict)     # by mode
    reports: dict = field(default_factory=dict)   # of profiling modes


def taken(path):
    """What the file has as JSON, which is then gone; None: it is not there."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    os.remove(path)
    return content


def only(icd):
    """The environment in which the loader finds the driver of this .icd file and no other."""
    with open(icd, encoding="utf-8") as file:
        return {"OCL_ICD_VENDORS": icd, "OCL_ICD_FILENAMES": file.readline().strip()}


class Runner:
    """Runs one case file; everything it leaves is in `folder`. `alone`: the .icd file of the driver that gives the expected
    bytes, instead of PoCL's."""

    def __init__(self, build, folder, exact, alone=""):
        self.build, self.folder, self.exact, self.alone, self.seconds = build, folder, exact, alone, SECONDS

    def execute(self, program, environment, seconds=None):
        seconds = seconds or self.seconds
        with subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as run:
            try:
                output, errors = run.communicate(timeout=seconds)
                status = f"exit {run.returncode}"
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)  # with the application that skmd-run has started
                output, errors = run.communicate()
                status = f"hung for {seconds} s"
        body = output.partition("\n")[2]
        errors = "\n".join(line for line in errors.splitlines() if "warning" not in line)
        return Answer(body[:-4] if body.endswith("end\n") else None, f"{status} {errors[-400:]}", None)

    def environment(self, devices, exact):
        cache = f"{self.folder}/pocl-{'exact' if exact else 'usual'}"
        os.makedirs(cache, exist_ok=True)
        return {**os.environ, **({"POCL_DEVICES": devices} if devices else {}), "POCL_CACHE_DIR": cache, **(EXACT if exact else {})}

    def program(self, path):
        return [f"{self.build}/tests/driver/random/random_cases", path]

    def plain(self, path, exact=None):
        environment = self.environment("pthread", self.exact if exact is None else exact)
        return self.execute(self.program(path), environment | (only(self.alone) if self.alone else {}), min(self.seconds, ALONE_SECONDS))

    def pocl(self, path, exact):
        """Where another driver says what is right."""
        return self.execute(self.program(path), self.environment("pthread", exact) | only(POCL), min(self.seconds, ALONE_SECONDS)) if os.path.exists(POCL) else Answer(None, "", None)

    def skmd(self, path, name, seed, exact=None):
        mode, stats, report = ALL_MODES[name], f"{self.folder}/stats.json", f"{self.folder}/report.json"
        command = [f"{self.build}/bin/skmd-run", "--devices", mode.devices, "--partition", partition(mode, seed), "--stats", stats,
                   "--cache-dir", f"{self.folder}/cache", *mode.options, "--", *self.program(path)]
        environment = self.environment(mode.pocl_devices, self.exact if exact is None else exact)
        environment["SKMD_TEST_CPU_DRIVER"] = "1" if mode.cpu else "0"
        if mode.svm:
            environment["RANDOM_SVM"] = "1"
        if mode.profiled:  # skmd-run in it, for the statistics
            command = [f"{self.build}/bin/skmd-profile", "--db", f"{self.folder}/profile.db", "--no-progress", "run", "--spans", mode.profiled,
                       "--repeat", "1", "--report", report, "--", *command]
        if mode.preempt:
            environment["SKMD_TEST_PREEMPT"] = f"{seed}:{1 if mode.moves else 3 if mode.inside else 25}" + ("" if mode.preempt == "stay" else f":{mode.preempt}")
        if mode.inside:
            environment |= {"SKMD_PREEMPT": "item", "SKMD_TEST_YIELDS": "every"}
        if mode.cpus:
            environment["SKMD_TEST_CPUS"] = mode.cpus
        if name == "cpu_one_thread":
            environment["SKMD_CPU_THREADS"] = "1"
        if mode.rungs:
            environment["SKMD_TEST_RUNGS"] = mode.rungs
        answer = self.execute(command, environment)
        answer.stats, answer.report = taken(stats), taken(report)
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
    """Runs a case in all its modes. What PoCL gives alone must come out, byte for byte, but for what PoCL's optimiser gets wrong."""

    def __init__(self, runner, path, seed, legal=False, modes=None):
        self.runner, self.path, self.seed, self.legal = runner, path, seed, legal
        self.modes = modes or modes_of(seed)
        self.verdict = Verdict()
        self.expected = self.unoptimised = self.referee = None

    def judge(self):
        if not self.start():
            return self.verdict
        if self.legal and (complaint := self.runner.illegal(self.path)):
            self.verdict.failures.append(("plain", f"the case is at fault: {complaint}"))
        for name in self.modes:
            self.try_mode(name)
        return self.verdict

    def start(self):
        """PoCL alone. What its optimiser makes crash is tried without."""
        plain = self.runner.plain(self.path)
        if plain.output is None and not self.runner.exact:
            self.verdict.pocl.append((CRASH, "plain", plain.trouble[-200:]))
            self.runner.exact = True
            plain = self.runner.plain(self.path)
        self.expected = self.verdict.expected = plain.output
        if plain.output is None and UNLINKED in plain.trouble:
            self.verdict.pocl.append((CRASH, "plain", plain.trouble[-200:]))
            self.verdict.ran = False
        elif plain.output is None or "error" in plain.output:
            self.verdict.failures.append(("plain", f"the case is at fault: {plain.trouble[-200:]} {(plain.output or '')[:300]}"))
        return plain.output is not None and not self.verdict.failures

    def try_mode(self, name):
        answer = self.runner.skmd(self.path, name, self.seed)
        self.verdict.stats[name] = answer.stats
        if ALL_MODES[name].profiled:
            self.verdict.reports[name] = answer.report
        if answer.output == self.expected:
            if not answer.trouble.startswith("exit 0"):
                self.verdict.failures.append((name, f"right, but {answer.trouble}"))
        elif answer.output is None and UNLINKED in answer.trouble:
            self.verdict.pocl.append((CRASH, name, answer.trouble))
        elif answer.output is None:
            self.verdict.failures.append((name, answer.trouble))
        else:
            self.verdict.found[name] = answer.output
            if self.runner.alone:
                self.compare_with_pocl(name, answer.output)
            elif self.runner.exact:
                self.compare_exact(name, answer.output)
            else:
                self.compare(name, answer.output)

    def compare_with_pocl(self, name, found):
        """Another driver is to blame where PoCL, with its optimiser and without, gives what SKMD gave."""
        if all(self.runner.pocl(self.path, exact).output == found for exact in (False, True)):
            self.verdict.pocl.append((ALONE, name, difference(found, self.expected)))
        else:
            self.verdict.failures.append((name, difference(self.expected, found)))

    def compare_exact(self, name, found):
        """Without its optimiser PoCL computes a few kernels wrongly that other kernels call: it is to blame where PoCL with it, SKMD over that,
        and oclgrind say the same in every line in which there is a difference. In others PoCL with its optimiser may be wrong."""
        if self.referee is None:
            self.referee = self.runner.oclgrind(self.path).output
        ours = self.runner.skmd(self.path, name, self.seed, exact=False).output
        right = agreed(self.expected, found, self.runner.plain(self.path, exact=False).output, ours, self.referee)
        if right is not None:
            self.verdict.pocl.append((ALONE if found == right else SLICED, name, difference(right, self.expected if found == right else found)))
        else:
            self.verdict.failures.append((name, difference(self.expected, found)))

    def compare(self, name, found):
        """Only what PoCL gives alone without its optimiser, what SKMD gives then too, and, wherever there is a difference, what oclgrind says,
        all of them the same, can put the blame on the optimiser; and it has to make the same mistake each time."""
        if self.unoptimised is None:
            self.unoptimised = self.runner.plain(self.path, exact=True).output
            self.referee = self.runner.oclgrind(self.path).output
        ours = self.runner.skmd(self.path, name, self.seed, exact=True)
        if self.unoptimised is None or ours.output != self.unoptimised:
            text = "without PoCL's optimiser too: " + difference(self.unoptimised or "", ours.output or ours.trouble)
            self.verdict.failures.append((name, text))
        elif not confirms(self.referee, self.unoptimised, self.expected, found):
            text = "oclgrind does not confirm PoCL without its optimiser: " + difference(self.unoptimised, found)
            self.verdict.failures.append((name, text))
        elif any(self.runner.skmd(self.path, name, self.seed).output != found for _ in range(AGAIN)):
            self.verdict.failures.append((name, f"not every time: {difference(self.unoptimised, found)}"))
        else:
            kind = ALONE if found == self.unoptimised else SLICED
            self.verdict.pocl.append((kind, name, difference(self.unoptimised, self.expected if kind == ALONE else found)))


def lines_of(*texts):
    """The lines of each; None: they are not as many."""
    lines = [(text or "").splitlines() for text in texts]
    return lines if len({len(text) for text in lines}) == 1 else None


def agreed(expected, found, *judges):
    """`found` with what all judges say wherever it differs from `expected`; None where they do not say the same."""
    lines = lines_of(expected, found, *judges)
    if lines is None or lines[0] == lines[1]:
        return None
    right = []
    for wanted, given, *said in zip(*lines):
        if wanted != given and len(set(said)) != 1:
            return None
        right.append(given if wanted == given else said[0])
    return "".join(line + "\n" for line in right) if found.endswith("\n") else "\n".join(right)


def confirms(referee, right, *answers):
    """Whether the referee says `right` in every line that one of the answers has otherwise. It makes mistakes of its own elsewhere."""
    texts = lines_of(referee, right, *answers)
    return texts is not None and all(said == correct for said, correct, *others in zip(*texts) if set(others) != {correct})


def difference(expected, found):
    pairs = zip(expected.splitlines(), found.splitlines())
    return next((f"expected {a}, found {b}" for a, b in pairs if a != b), found[:300])
