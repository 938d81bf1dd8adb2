# SPDX-License-Identifier: Apache-2.0
"""Processes for predict.py: what the sides are, their environments, and turns of them. A side's process is one run of a workload with its
driver as the only installed one, so that neither a loader's choice nor the user's database or cache has a part in it."""
import json
import os
import random
import re
import statistics
import subprocess
import time

from gpu import attempt, libraries, only, real_devices
from predict_math import middle
from predict_served import run_together

# Of the user's settings, those that the measured driver keeps; all are told in the raw data.
KEPT = ("SKMD_CPU_THREADS", "SKMD_PROFILE_DECIDES", "SKMD_TEST_CPU_DRIVER", "SKMD_VENDORS")
# A side that may be the base takes so many times as long as the fastest one known: it cannot be the best, and is measured no more.
HOPELESS = 2.0
# Where the fastest takes less, even a side that is hundred times as slow is soon measured, and first repetitions say little.
SHORT_SECONDS = 2e-3


class Unusable(Exception):
    """What was asked for is not there; the words say what."""


def clean_environment():
    """Takes SKMD's settings out of this process's environment; {name: value} of those that stay."""
    for name in [name for name in os.environ if name.startswith("SKMD_") and name not in KEPT]:
        del os.environ[name]
    return {name: os.environ[name] for name in KEPT if name in os.environ}


def seen_devices(build, env):
    """[(platform, device)] that an application sees in this environment: a workload says so when asked for a device that is not there."""
    done = subprocess.run([f"{build}/bench/vector_add", "--device", "no such platform:no such device"], capture_output=True, text=True, check=False,
                          timeout=120, env={**os.environ, **env})
    return re.findall(r"^  ([^:\n]+):(.+)$", done.stderr, re.M)


def default_devices(build):
    """SKMD_DEVICES of at most two GPUs and the processor."""
    counts, chosen = {}, []
    for device in real_devices(build):
        index = counts.get(device["platform"], 0)
        counts[device["platform"]] = index + 1
        if device["kind"] == "gpu" and len(chosen) < 2:
            chosen.append(f"{device['platform'].split()[0].lower()}:{index}")
    return ",".join(chosen + ["cpu"])


class Side:
    """`database`: a word that tells databases of one unit apart; None: it has none. `probe`: a short process of so many repetitions comes first, and
    the side is given up where even the fastest of them from number `probe_from` on says that it cannot be the best of its unit."""

    def __init__(self, name, kind, env, arguments=(), database=None, probe=0, probe_from=1):
        self.name, self.kind, self.env, self.arguments = name, kind, env, list(arguments)
        self.database, self.probe, self.probe_from = database, probe, probe_from
        self.devices = []  # names of what it runs on

    def settings(self):
        """The driver's that do not name a temporary file."""
        return {name: value for name, value in self.env.items() if name in ("SKMD_DEVICES", "SKMD_PARTITION", "SKMD_TEST_CPUS")}


def busy_seconds():
    """What all processors of the machine have worked so far, and what of it this program's children have."""
    try:
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _, _, irq, softirq, steal = (int(word) for word in file.readline().split()[1:9])
    except (OSError, ValueError):
        return 0.0, 0.0
    times = os.times()
    ours = times.user + times.system + times.children_user + times.children_system
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK"), ours


def new_unit(workload, size, memory, sides, **more):
    return {"workload": workload, "size": size, "memory": memory, **more, "sides": {side.name: {"kind": side.kind, "processes": [], "others": []} for side in sides}}


class Bench:
    """Runs sides in turns. No turn begins that would not be over within `seconds` of the beginning, as far as those before tell."""

    def __init__(self, options, folder):
        self.folder, self.build, self.timeout = folder, options.build, options.timeout
        self.end = time.monotonic() + options.seconds
        self.failures, self.vendors = [], []
        self.others = 0.0  # part of the processors' time that other programs took during the last process
        self.longest = {}  # seconds that a process of a unit's side has taken at most
        ours = only(os.path.join(folder, "ours"), os.path.abspath(f"{self.build}/lib/libskmd.so"))
        self.ours = {**ours, "SKMD_CACHE_DIR": os.path.join(folder, "cache"), "SKMD_PROFILE_DB": "off"}

    def left(self):
        return self.end - time.monotonic()

    def vendor_sides(self, part_of_name):
        """The real devices of the wanted vendors by their own drivers, each name once."""
        if not self.vendors:
            for number, library in enumerate(libraries()):
                if "skmd" in library or part_of_name.lower() not in os.path.basename(library).lower():
                    continue
                env = only(os.path.join(self.folder, f"vendor{number}"), library)
                for platform, device in dict.fromkeys(seen_devices(self.build, env)):
                    self.vendors.append(Side(f"{device} by its own driver", "vendor", env, ["--device", f"{platform}:{device}"]))
                    self.vendors[-1].devices = [device]
        if not self.vendors:
            raise Unusable(f"no installed driver's library has {part_of_name} in its name and a device")
        return list(self.vendors)

    def made_of(self, side):
        """Names of the devices that the virtual device of a side is made of."""
        done = subprocess.run([f"{self.build}/bin/skmd-info", "--json"], capture_output=True, text=True, check=False, env={**os.environ, **side.env})
        if done.returncode != 0:
            raise Unusable((done.stderr or done.stdout).strip())
        return [device["name"] for device in json.loads(done.stdout)["devices"]]

    def command(self, unit):
        if "command" in unit:
            return [f"{self.build}/bench/{unit['command'][0]}", *unit["command"][1:]]
        memory = ["--memory", unit["memory"]] if unit["memory"] != "pageable" else []
        return [f"{self.build}/bench/{unit['workload']}", "--size", unit["size"], *memory]

    def environment(self, unit, side):
        """A side with a database has a cache folder of its own for each unit, and the database in it as any user has: where SKMD_PROFILE_DB names
        a file, every launch is kept, which launches of microseconds feel."""
        if not side.database:
            return side.env
        words = (side.database, unit["workload"].replace(" ", "_"), unit["size"], unit["memory"])
        return {**side.env, "SKMD_PROFILE_DB": "", "SKMD_CACHE_DIR": os.path.join(self.folder, "-".join(words))}

    def skmd_run(self, unit, side, words, more=None):
        """An answer of a workload under skmd-run, which finds SKMD and the real drivers itself."""
        env = {name: value for name, value in {**self.environment(unit, side), **(more or {})}.items() if name.startswith("SKMD_")}
        return attempt([f"{self.build}/bin/skmd-run", *words], self.timeout, env)

    def fail(self, unit, what, answer):
        self.failures.append(f"{unit['workload']} {unit['size']}, {what}: {answer.get('error', 'a wrong result').strip()}")

    def note_others(self, begin, busy):
        """What part of the processors' time other programs have taken since `begin`, when busy_seconds() was `busy`."""
        after = busy_seconds()
        spent = (time.monotonic() - begin) * (os.cpu_count() or 1)
        self.others = max(0.0, (after[0] - busy[0]) - (after[1] - busy[1])) / spent

    def once(self, unit, side, repetitions, quiet=False, limit=None):
        """Seconds of each repetition; None, and a failure told unless `quiet`, where there are none."""
        begin, busy = time.monotonic(), busy_seconds()
        command = self.command(unit) + ["--repeat", str(repetitions), *side.arguments]
        answer = attempt(command, min(self.timeout, limit or self.timeout), self.environment(unit, side))
        self.note_others(begin, busy)
        key = (unit["workload"], unit["size"], side.name)
        self.longest[key] = max(self.longest.get(key, 0.0), time.monotonic() - begin)
        if answer.get("ok"):
            return answer["seconds"]
        if not quiet:
            self.fail(unit, side.name, answer)
        return None

    def fill(self, unit, side, modes, repetitions, sizes=()):
        """What earlier processes measured: one process in each of the modes at each size, as long as those that are measured, through skmd-run,
        which keeps it in the database."""
        for size in sizes or [unit["size"]]:
            for mode in modes:
                command = ["--", *self.command({**unit, "size": size}), "--repeat", str(repetitions)]
                answer = self.skmd_run(unit, side, command, {"SKMD_PARTITION": mode})
                if not answer.get("ok"):
                    self.fail(unit, f"an earlier process, {mode}", answer)

    def statistics(self, unit, side, repetitions, more=(), timed=False):
        """(SKMD_STATS, seconds) of one process that is not among the turns, or (None, None). `timed`: devices are asked for the times of all
        launches, as they are for a trace, and not only of those that decisions need."""
        path, trace = os.path.join(self.folder, "stats.json"), os.path.join(self.folder, "trace.json")
        options = ["--stats", path, *(["--trace", trace] if timed else [])]
        answer = self.skmd_run(unit, side, [*options, "--", *self.command(unit), "--repeat", str(repetitions), *more])
        if os.path.exists(trace):
            os.unlink(trace)
        if not answer.get("ok"):
            self.fail(unit, "statistics", answer)
            return None, None
        with open(path, encoding="utf-8") as file:
            stats = json.load(file)
        os.unlink(path)
        return stats, answer["seconds"]

    def is_hopeless(self, unit, side):
        others = [middle(known["processes"], side.probe_from + 1) for known in unit["sides"].values()]
        others = [seconds for seconds in others if seconds is not None]
        if not side.probe or not others or min(others) < SHORT_SECONDS:
            return False
        entry = unit["sides"][side.name]
        seconds = self.once(unit, side, side.probe, quiet=True)
        if seconds is None:
            entry["dropped"] = "no answer"
            return True
        if min(seconds[side.probe_from - 1:]) <= HOPELESS * min(others):
            return False
        entry["dropped"] = f"more than {HOPELESS:g} times as long as the fastest"
        self.keep(entry, seconds)
        return True

    def keep(self, entry, seconds):
        entry["processes"].append(seconds)
        entry["others"].append(self.others)

    def turn(self, unit, sides, number, repetitions):
        """One process of each side that is still measured. The first turn begins with those without a probe; the others have an order that looks random, so
        that none always follows the same other one, and is the same in every run."""
        order = sorted(sides, key=lambda side: side.probe > 0)
        if number > 0:
            random.Random(number).shuffle(order)
        for side in order:
            entry = unit["sides"][side.name]
            if "dropped" in entry or (number == 0 and self.is_hopeless(unit, side)):
                continue
            seconds = self.once(unit, side, repetitions)
            if seconds is not None:
                self.keep(entry, seconds)
            elif number == 0:
                entry["dropped"] = "no answer"

    def turn_together(self, unit, sides, number, repetitions):
        """The same with all processes at once (predict_served.py); every side counts."""
        present = [side for side in sides if "dropped" not in unit["sides"][side.name]]
        begin, busy = time.monotonic(), busy_seconds()
        found = run_together(self, unit, present, repetitions, number)
        self.note_others(begin, busy)
        for side in present:
            key = (unit["workload"], unit["size"], side.name)
            self.longest[key] = max(self.longest.get(key, 0.0), (time.monotonic() - begin) / len(present))
            if found[side.name] is None:
                self.fail(unit, side.name, {"error": "the process ended early"})
            else:
                self.keep(unit["sides"][side.name], found[side.name])

    def has_time_for_turn(self, unit, sides, reserve=0.0):
        known = [self.longest.get((unit["workload"], unit["size"], side.name), 0.0) for side in sides if "dropped" not in unit["sides"][side.name]]
        return self.left() > max(sum(known), reserve)

    def try_split(self, unit, side, repetitions, fastest):
        """Median seconds of a split's repetitions behind the first; infinite where it has no answer in time."""
        limit = 15 + 8 * fastest * repetitions if fastest else None
        seconds = self.once(unit, side, repetitions, quiet=True, limit=limit)
        return statistics.median(seconds[1:]) if seconds else float("inf")
