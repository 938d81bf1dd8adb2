# SPDX-License-Identifier: Apache-2.0
"""Runs a third party's test program on PoCL alone and under skmd-run, and compares their results test by test."""
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable

BASELINE = "pocl"
CPU = "cpu"  # our own CPU driver alone
FAR = "far"  # the same behind skmd-serve, as a device of another host; only where it is named
MODES = ("equal", "auto", CPU)
_running = set()  # process groups
_scratch = set()  # folders
COMPILER_LIMIT = 600  # processor seconds
DEVICES = "portable:pthread@discrete,portable:basic@discrete"
# On PoCL alone, what SKMD_DEVICE_TYPE=gpu does on SKMD: a layer of the loader's.
AS_GPU = ("gcc", "-shared", "-fPIC", "-DCL_TARGET_OPENCL_VERSION=300", os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "as_gpu.c"), "-o", "{program}")
AS_GPU_PACKAGES = ("gcc", "ocl-icd-opencl-dev")


@dataclasses.dataclass(frozen=True)
class Finished:
    """How a program ended, and what it wrote."""
    status: int  # negative: killed by that signal; None: ended because of its limit
    output: str  # standard output and standard error
    folder: str  # its own scratch folder


def written(finished, name):
    """What the program left in this file of its folder; nothing: b""."""
    path = os.path.join(finished.folder, name)
    if not os.path.exists(path):
        return b""
    with open(path, "rb") as file:
        return file.read()


def by_status(finished):
    return {"": "pass" if finished.status == 0 else "fail"}


@dataclasses.dataclass(frozen=True)
class Test:
    """One process. `read` turns its end into outcomes by sub-test: "pass", "fail", "skip", or "=text", which passes where
    PoCL alone gives the same text."""
    name: str
    argv: tuple
    read: Callable[[Finished], dict] = by_status
    cwd: str = ""
    env: tuple = ()  # pairs; {folder} stands for a folder that is the test's own
    limit: int = 900  # processor seconds
    gpu: bool = False  # takes devices of the type GPU only; its suite needs AS_GPU_PACKAGES
    source: tuple = ()  # how the program is made: a compiler's command, with {program} for the file that comes out; {program} in argv is that file


@dataclasses.dataclass
class Run:
    """One test in one mode."""
    outcomes: dict
    finished: Finished
    stats: dict
    seconds: float = 0.0
    processor_seconds: float = 0.0  # of the program and what it waited for


@dataclasses.dataclass(frozen=True)
class Suite:
    """A room for one program's tests; `tests(quick)` lists them."""
    name: str
    packages: tuple
    tests: Callable[[bool], list]
    quick: bool = False  # has a quick selection; the ordinary set-up installs what that needs: `packages`
    more_packages: tuple = ()  # for the rest


class Runner:
    def __init__(self, build, scratch, caches, idle=300, far=""):
        self.idle = idle
        self.far = far  # ADDRESS:PORT of the server of the mode FAR
        _scratch.add(scratch)
        self.skmd_run = os.path.join(build, "bin", "skmd-run")
        self.scratch = scratch
        self.pocl_cache = os.path.join(caches, "pocl-cache")
        self.skmd_cache = os.path.join(caches, "skmd-cache")
        os.makedirs(self.pocl_cache, exist_ok=True)
        self._programs = {}  # compiler's command -> (program, how the compiler ended)
        self._compiling = threading.Lock()

    def environment(self, mode, test, folder):
        env = {name: value for name, value in os.environ.items() if not name.startswith(("SKMD_", "OCL_ICD_", "POCL_"))}
        env["POCL_DEVICES"] = "pthread" if mode == BASELINE else "pthread basic"
        env["POCL_CACHE_DIR"] = self.pocl_cache
        if mode in (CPU, FAR):
            env["SKMD_TEST_CPU_DRIVER"] = "1"
        if mode == BASELINE:
            env["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors/pocl.icd"
        if test.gpu and mode == BASELINE:
            env["OPENCL_LAYERS"] = self.program(AS_GPU)[0]
        elif test.gpu:
            env["SKMD_DEVICE_TYPE"] = "gpu"
        for name, value in test.env:
            env[name] = value.replace("{folder}", folder)
        return env

    def program(self, source):
        """-> the program that this command makes, and how the compiler ended. Each is made once, one at a time: they take a gigabyte each."""
        with self._compiling:
            if source not in self._programs:
                path = os.path.join(self.scratch, f"program-{len(self._programs)}")
                with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
                    argv = [part.replace("{program}", path) for part in source]
                    self._programs[source] = path, _finish(argv, folder, dict(os.environ), COMPILER_LIMIT, self.idle, folder)[0]
            return self._programs[source]

    def run(self, test, mode, limit=None):
        program, compiled = self.program(test.source) if test.source else ("", None)
        if compiled and compiled.status != 0:
            return Run(test.read(compiled), compiled, {})
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            argv = [part.replace("{folder}", folder).replace("{program}", program) for part in test.argv]
            stats_file = os.path.join(folder, "skmd-stats.json")
            if mode != BASELINE:
                devices, partition = {CPU: ("cpu", "auto"), FAR: (f"{self.far}/*", "auto")}.get(mode, (DEVICES, mode))
                argv = [self.skmd_run, *(("--hosts", self.far) if mode == FAR else ()), "--devices", devices, "--partition", partition, "--stats", stats_file,
                        "--cache-dir", self.skmd_cache, "--", *argv]
            started = time.monotonic()
            finished, processor_seconds = _finish(argv, test.cwd or folder, self.environment(mode, test, folder), limit or test.limit, self.idle, folder)
            seconds = time.monotonic() - started
            stats = {}
            if os.path.exists(stats_file):
                with open(stats_file, encoding="utf-8") as file:
                    stats = json.load(file)
            return Run(test.read(finished), finished, stats, seconds, processor_seconds)


def _used(session):
    """Processor seconds of a session's processes, and of those that they waited for."""
    ticks = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(") ")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


class _Watch(threading.Thread):
    """Ends a session that has used too much processor time, or none for too long. Elapsed time would let a loaded machine decide."""

    def __init__(self, session, limit, idle):
        super().__init__(daemon=True)
        self.session, self.limit, self.idle = session, limit, idle
        self.done = threading.Event()
        self.late = False
        self.start()

    def run(self):
        last, since = -1.0, time.monotonic()
        while not self.done.wait(min(2.0, self.idle / 4)):
            used = _used(self.session)
            if used != last:
                last, since = used, time.monotonic()
            if used > self.limit or time.monotonic() - since > self.idle:
                self.late = True
                os.killpg(self.session, signal.SIGKILL)
                return


def _finish(argv, cwd, env, limit, idle, folder):
    """-> how it ended, processor time."""
    with open(os.path.join(folder, "skmd-test-output"), "w+b") as output:
        process = subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        _running.add(process.pid)
        watch = _Watch(process.pid, limit, idle)
        # Waited for without being reaped: while it is a zombie, its group's number is not used again.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        watch.done.set()
        watch.join()
        _running.discard(process.pid)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        finished = Finished(None if watch.late else process.returncode, output.read().decode("utf-8", "replace"), folder)
        return finished, usage.ru_utime + usage.ru_stime


def end_all():
    """Programs run in process groups of their own, which a signal to this group would not reach."""
    for group in list(_running):
        os.killpg(group, signal.SIGKILL)
    for folder in _scratch:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def passes(outcome):
    return outcome == "pass" or outcome.startswith("=")


def broken(baseline, ours):
    """Sub-tests that pass on PoCL alone and do not here: name -> (there, here). One that said nothing did not pass."""
    differences = {}
    for name, there in baseline.items():
        here = ours.get(name, "missing")
        if passes(there) and here != there:
            differences[name] = (there, here)
    return differences


def launches(stats):
    kernels = stats.get("kernels", [])
    return sum(kernel["launches"] for kernel in kernels), sum(kernel["split_launches"] for kernel in kernels)


def elsewhere(stats):
    """Kernels that another CPU driver ran in place of ours, and why: how many for each reason."""
    reasons = {}
    for kernel in stats.get("other_cpu_driver", {}).get("kernels", []):
        reasons[kernel["reason"]] = reasons.get(kernel["reason"], 0) + 1
    return reasons
