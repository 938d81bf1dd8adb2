# SPDX-License-Identifier: Apache-2.0
"""Processes for predict.py: what the sides are, their environments, and turns of them. A side's process is one run of a workload with its
driver as the only installed one, so that neither a loader's choice nor the user's database or cache has a part in it."""
import json
import os
import re
import subprocess
import tempfile
import time

from gpu import attempt, libraries, only, real_devices
from predict_math import middle
from predict_rows import NONE, ONE, WARM

# Of the user's settings, those that the measured driver keeps; all are told in the raw data.
KEPT = ("SKMD_CPU_THREADS", "SKMD_PROFILE_DECIDES", "SKMD_TEST_CPU_DRIVER", "SKMD_VENDORS")
# A single device that takes so many times as long as the fastest one known is measured no more.
HOPELESS = 2.0
PROBE_REPETITIONS = 2


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
    by_platform, chosen = {}, []
    for device in real_devices(build):
        index = by_platform.setdefault(device["platform"], []).__len__()
        by_platform[device["platform"]].append(device)
        if device["kind"] == "gpu" and len(chosen) < 2:
            chosen.append(f"{device['platform'].split()[0].lower()}:{index}")
    return ",".join(chosen + ["cpu"])


class Unusable(Exception):
    """What was asked for is not there; the words say what."""


class Side:
    def __init__(self, name, kind, env, arguments=(), database=None, processor=False):
        self.name, self.kind, self.env, self.arguments = name, kind, env, list(arguments)
        self.devices = []  # names of what it runs on, as far as they were asked for
        self.database = database  # a word that tells databases of one unit apart; None: it has none
        self.processor = processor  # computes on the host alone, perhaps far too slowly to be measured at length


class Bench:
    """Runs sides in turns. `end`: no process begins that would not be over by then, as far as those before tell."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.build = options.build
        self.end = time.monotonic() + options.seconds
        self.failures = []
        self.longest = {}  # seconds that a process of a unit's side has taken at most
        ours = only(os.path.join(folder, "ours"), os.path.abspath(f"{self.build}/lib/libskmd.so"))
        self.ours = {**ours, "SKMD_CACHE_DIR": os.path.join(folder, "cache"), "SKMD_PROFILE_DB": "off"}

    def left(self):
        return self.end - time.monotonic()

    def vendor_sides(self):
        """The real devices of the wanted vendors by their own drivers, each name once."""
        sides = []
        for number, library in enumerate(libraries()):
            if "skmd" in library or self.options.vendor.lower() not in os.path.basename(library).lower():
                continue
            env = only(os.path.join(self.folder, f"vendor{number}"), library)
            for platform, device in dict.fromkeys(seen_devices(self.build, env)):
                sides.append(Side(f"{device} by its own driver", "vendor", env, ["--device", f"{platform}:{device}"]))
                sides[-1].devices = [device]
        if not sides:
            raise Unusable(f"no installed driver's library has {self.options.vendor} in its name and a device")
        return sides

    def made_of(self, side):
        """Names of the devices that the virtual device of a side is made of."""
        done = subprocess.run([f"{self.build}/bin/skmd-info", "--json"], capture_output=True, text=True, check=False, env={**os.environ, **side.env})
        if done.returncode != 0:
            raise Unusable((done.stderr or done.stdout).strip())
        return [device["name"] for device in json.loads(done.stdout)["devices"]]

    def over(self, devices, mode="auto", more=None):
        return {**self.ours, "SKMD_DEVICES": devices, "SKMD_PARTITION": mode, **(more or {})}

    def command(self, unit):
        memory = ["--memory", unit["memory"]] if unit.get("memory", "pageable") != "pageable" else []
        return [f"{self.build}/bench/{unit['workload']}", "--size", unit["size"], *memory]

    def environment(self, unit, side):
        """A side with a database has a cache folder of its own for each unit, and the database in it as any user has: where SKMD_PROFILE_DB names
        a file, every launch is kept, which launches of microseconds feel."""
        if not side.database:
            return side.env
        words = (side.database, unit["workload"], unit["size"], unit.get("memory", ""))
        return {**side.env, "SKMD_PROFILE_DB": "", "SKMD_CACHE_DIR": os.path.join(self.folder, "-".join(filter(None, words)))}

    def skmd_run(self, unit, side, words, more=None):
        """An answer of a workload under skmd-run, which finds SKMD and the real drivers itself."""
        env = {name: value for name, value in {**self.environment(unit, side), **(more or {})}.items() if name.startswith("SKMD_")}
        return attempt([f"{self.build}/bin/skmd-run", *words], self.options.timeout, env)

    def fail(self, unit, what, answer):
        self.failures.append(f"{unit['workload']} {unit['size']}, {what}: {answer.get('error', 'a wrong result').strip()}")

    def once(self, unit, side, repetitions, more=()):
        """Seconds of each repetition; None and a failure told where there are none."""
        command = self.command(unit) + ["--repeat", str(repetitions), *side.arguments, *more]
        begin = time.monotonic()
        answer = attempt(command, self.options.timeout, self.environment(unit, side))
        key = (unit["workload"], unit["size"], side.name)
        self.longest[key] = max(self.longest.get(key, 0.0), time.monotonic() - begin)
        if not answer.get("ok"):
            self.fail(unit, side.name, answer)
            return None
        return answer["seconds"]

    def fill(self, unit, side, modes, size=None, repetitions=4):
        """What earlier processes measured: one process in each of the modes, through skmd-run, which keeps it in the database."""
        for mode in modes:
            command = ["--", *self.command({**unit, "size": size or unit["size"]}), "--repeat", str(repetitions)]
            answer = self.skmd_run(unit, side, command, {"SKMD_PARTITION": mode})
            if not answer.get("ok"):
                self.fail(unit, f"an earlier process, {mode}", answer)

    def statistics(self, unit, side, repetitions, more=()):
        """SKMD_STATS of one process that is not timed, or None."""
        path = os.path.join(self.folder, "stats.json")
        answer = self.skmd_run(unit, side, ["--stats", path, "--", *self.command(unit), "--repeat", str(repetitions), *more])
        if not answer.get("ok"):
            self.fail(unit, "statistics", answer)
        try:
            return json_of(path)
        except (OSError, ValueError):
            return None

    def is_hopeless(self, unit, side):
        """Asks one short process of a device that computes on the host, and keeps its answer; True: it is not to be measured further."""
        others = [middle(known["processes"], 2) for known in unit["sides"].values()]
        others = [seconds for seconds in others if seconds is not None]
        if not side.processor or not others:
            return False
        seconds = self.once(unit, side, PROBE_REPETITIONS)
        if seconds is not None and min(seconds) <= HOPELESS * min(others):
            return False
        entry = unit["sides"][side.name]
        entry["dropped"] = f"more than {HOPELESS:g} times as long as the fastest" if seconds else "no answer"
        entry["processes"] += [seconds] if seconds else []
        if seconds is None:
            self.failures.pop()  # it is told as dropped
        return True

    def turn(self, unit, sides, number, repetitions):
        """One process of each side that is still measured; the first turn begins with sides whose times are known to be short."""
        shift = number % len(sides)
        order = sorted(sides, key=lambda side: side.processor) if number == 0 else sides[shift:] + sides[:shift]
        for side in order:
            entry = unit["sides"].setdefault(side.name, {"kind": side.kind, "processes": []})
            if "dropped" in entry or (number == 0 and self.is_hopeless(unit, side)):
                continue
            seconds = self.once(unit, side, repetitions)
            if seconds is not None:
                entry["processes"].append(seconds)
            elif number == 0:
                entry["dropped"] = "no answer"

    def has_time_for_turn(self, unit, sides):
        known = [self.longest.get((unit["workload"], unit["size"], side.name), 0.0) for side in sides]
        return self.left() > sum(known)


def json_of(path):
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    os.unlink(path)
    return found


def sides_of_sixteen(bench, devices):
    """Every single device, `auto` over all, and `auto` over one GPU and the processor. Of GPUs alike the first stands for all."""
    selectors = devices.split(",")
    alone = list(dict.fromkeys(re.sub(r":\d+$", ":0", selector) if bench.options.alike else selector for selector in selectors))
    sides = [Side(WARM, "auto", bench.over(devices), database="warm"), Side(NONE, "auto", bench.over(devices))]
    gpus = [selector for selector in selectors if not selector.startswith("cpu")]
    if len(gpus) > 1 and len(gpus) < len(selectors):
        sides.append(Side(ONE, "auto", bench.over(",".join(gpus[:1] + ["cpu"])), database="one"))
    sides += bench.vendor_sides()
    sides += [Side(f"SKMD over {selector}", "device", bench.over(selector), processor=selector.startswith("cpu")) for selector in alone]
    for side in sides:
        side.devices = side.devices or bench.made_of(side)
    return sides, len(gpus)


def temporary():
    return tempfile.TemporaryDirectory(prefix="bench-predict-")
