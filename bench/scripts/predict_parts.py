# SPDX-License-Identifier: Apache-2.0
"""The parts of scripts/bench-predict.sh: which sides are measured of which workloads, and what else a row needs."""
import json
import os
import subprocess

import predict_load
import predict_rows
from predict_bounds import bound, copy_rate, moved_bytes, pinned_rates, worked_seconds
from predict_math import middle, settled
from predict_rows import NONE, ONE, ONE_GPU, TWO_GPUS, WARM, made_row, plain_entry
from predict_runs import Side, Unusable, new_unit
from predict_search import Search, best, grid, rounded, word

MODES = ("paper", "linear", "equal", "single")
MODE_PROBE, MODE_FROM = 5, 4  # modes are compared from the fourth repetition on
HALO_STEPS = (150, 250)  # the second GPU takes part after some of the first ones: its start takes 0.3 to 1.2 s


class Gpus:
    """Real devices: --devices, each alone, the first GPU with the processor, and the vendor's driver alone."""

    def __init__(self, bench, options):
        self.bench, self.options = bench, options
        self.selectors = options.devices.split(",")
        self.gpus = [selector for selector in self.selectors if not selector.startswith("cpu")]
        self.rows = predict_rows.ROWS

    def env(self, mode="auto", devices=None):
        return {**self.bench.ours, "SKMD_DEVICES": devices or self.options.devices, "SKMD_PARTITION": mode}

    def singles(self):
        """Of GPUs of one platform the first stands for all."""
        alone = dict.fromkeys(self.gpus[0] if self.options.alike and selector in self.gpus[1:] and same_platform(selector, self.gpus[0]) else selector
                              for selector in self.selectors)
        return [Side(f"SKMD over {selector}", "device", self.env(devices=selector), probe=2 if selector.startswith("cpu") else 0) for selector in alone]

    def vendors(self):
        return self.bench.vendor_sides(self.options.vendor)

    def one_gpu(self):
        """`auto` over one GPU and the processor, where there are more GPUs."""
        if len(self.gpus) < 2 or len(self.gpus) == len(self.selectors):
            return []
        return [Side(ONE, "auto", self.env(devices=self.gpus[0] + ",cpu"), database="warm")]


def same_platform(one, other):
    return one.rpartition(":")[0] == other.rpartition(":")[0]


class Processors:
    """Two unlike devices of the CPU driver, with one thread each, and no vendor's driver."""
    CPUS = ("best:1", "sse:1")

    def __init__(self, bench, options):
        self.bench, self.options = bench, options
        self.gpus = []
        self.rows = predict_rows.QUICK_ROWS
        self.empty = os.path.join(bench.folder, "no vendors")
        os.makedirs(self.empty, exist_ok=True)

    def env(self, mode="auto", devices=None):
        return {**self.bench.ours, "SKMD_VENDORS": self.empty, "SKMD_TEST_CPUS": devices or ",".join(self.CPUS), "SKMD_PARTITION": mode}

    def singles(self):
        return [Side(f"SKMD over {cpu}", "device", self.env(devices=cpu), probe=0 if number == 0 else 2) for number, cpu in enumerate(self.CPUS)]

    def vendors(self):
        return []

    def one_gpu(self):
        return []


class Run:
    """Measures parts into `document`."""

    def __init__(self, options, document, bench, machine, save):
        self.options, self.document, self.bench, self.machine, self.save = options, document, bench, machine, save
        self.compared = []  # (unit, sides) of which more turns can be had

    def warm(self, database="warm"):
        return Side(WARM, "auto", self.machine.env(), database=database)

    def modes(self, database="warm"):
        return [Side(mode, "mode", self.machine.env(mode), database=database, probe=MODE_PROBE, probe_from=MODE_FROM) for mode in MODES]

    def tell(self, sides):
        """What each side is, in the raw data; what cannot be had is found here."""
        for side in sides:
            side.devices = side.devices or self.bench.made_of(side)
            self.document["sides"][side.name] = {"kind": side.kind, "devices": side.devices, "settings": side.settings(),
                                                 **({"database": side.database} if side.database else {})}

    def units(self, sides, memory="pageable", workloads=None):
        made = [new_unit(workload, size, memory, sides) for size in self.options.sizes.split(",")
                for workload in workloads or self.options.workloads.split(",") if not self.options.is_too_long(workload, size)]
        self.document["units"] += made
        return made

    def repetitions(self, unit):
        return self.options.repeat or self.options.repetitions[unit["size"]]

    def prepare(self, unit, sides, sizes=()):
        """Fills the databases, and finds which device ran what by them; compiled programs come to the caches on the way."""
        for side in {side.database: side for side in sides if side.database}.values():
            self.bench.fill(unit, side, self.options.fill.split(","), self.repetitions(unit), sizes)
        warm = next((side for side in sides if side.name == WARM), None)
        if warm is not None:
            repetitions = 4
            unit["stats"], _ = self.bench.statistics(unit, warm, repetitions, ["--check"] if self.options.check else [])
            if unit["stats"]:
                unit["launches"] = sum(kernel["launches"] for kernel in unit["stats"]["kernels"]) / repetitions

    def turn(self, unit, sides, number):
        # The first turn gives up hopeless sides; GPUs' memory and contexts are not shared by eight processes.
        together = self.options.quick and number > 0
        (self.bench.turn_together if together else self.bench.turn)(unit, sides, number, self.repetitions(unit))
        print(f"{unit['workload']} {unit['size']}, turn {number + 1}: {self.bench.left():.0f} s left", flush=True)

    def first_turns(self, units, sides):
        for number in range(self.options.turns):
            for unit in units:
                if not self.bench.has_time_for_turn(unit, sides, self.options.reserve if number == 0 else 0):
                    continue
                if number == 0:
                    self.prepare(unit, sides)
                    self.compared.append((unit, sides))
                self.turn(unit, sides, number)
                self.save()

    def more_turns(self):
        """Of what misses a goal by itself, as long as there is time: a slow process among few looks like a miss. What all turns say together counts."""
        for number in range(self.options.turns, self.options.most_turns):
            missed = [(unit, sides) for unit, sides in self.compared if self.is_missed(unit)]
            for unit, sides in missed:
                if self.bench.has_time_for_turn(unit, sides, 1):
                    self.turn(unit, sides, number)
            if not missed:
                return

    def is_missed(self, unit):
        """Whether the unit alone would miss a row."""
        rows = predict_rows.rows_of(self.machine.rows, [unit], len(self.machine.gpus))
        return any(row["met"] is False for row in rows)

    def compare(self, sides, memory="pageable"):
        self.tell(sides)
        self.first_turns(self.units(sides, memory), sides)

    def sixteen(self):
        """`auto` against every single device and the vendor's driver alone."""
        self.compare([self.warm(), Side(NONE, "auto", self.machine.env())] + self.machine.one_gpu() + self.machine.vendors() + self.machine.singles())

    def modes_part(self):
        self.compare([self.warm()] + self.modes())

    def both(self):
        """The two above in one, for devices that take little time."""
        self.compare([self.warm(), Side(NONE, "auto", self.machine.env())] + self.machine.singles() + self.modes())

    def pinned(self):
        self.compare([self.warm()] + self.machine.vendors(), "pinned")

    def starts(self, unit, devices):
        """Where the search begins: as `auto` divided the longest kernel, each device alone, equal parts."""
        if self.options.grid:
            return grid(devices, self.options.grid)
        alone = [tuple(100 if i == j else 0 for i in range(devices)) for j in range(devices)]
        known = []
        if unit.get("stats"):
            kernel = max(unit["stats"]["kernels"], key=lambda kernel: kernel["seconds"])
            known = [rounded(kernel["groups"], 5)]
        return known + alone + [rounded([1] * devices)]

    def search_one(self, unit, devices):
        search = Search(self.starts(unit, devices), [int(step) for step in self.options.steps.split(",") if step])
        unit["search"] = []
        while len(search.known) < self.options.tries and self.bench.left() > self.options.reserve:
            split = search.next()
            if split is None:
                unit["search_ended"] = True
                break
            side = Side(word(split), "try", self.machine.env(word(split)))
            fastest = min(search.known.values(), default=0.0)
            seconds = self.bench.try_split(unit, side, self.options.try_repetitions, fastest if fastest < float("inf") else None)
            search.tell(split, seconds)
            unit["search"].append({"split": list(split), "seconds": seconds if seconds < float("inf") else None})
        return best(search.known)

    def search(self, workloads=None):
        """`auto` beside the best split that a search finds, with what smaller sizes left in the database."""
        warm = self.warm("smaller")
        self.tell([warm])
        units = self.units([warm, Side("best split", "split", {})], workloads=workloads)
        smaller = self.options.fill_sizes.split(",")
        for unit in units:
            if not self.bench.has_time_for_turn(unit, [], self.options.reserve):
                continue
            self.prepare(unit, [warm], smaller)
            split = self.search_one(unit, len(warm.devices))
            if split is None:
                continue
            unit["best_split"] = list(split)
            sides = [warm, Side("best split", "split", self.machine.env(word(split)))]
            self.compared.append((unit, sides))
            for number in range(max(self.options.turns, 3)):
                if self.bench.has_time_for_turn(unit, sides):
                    self.bench.turn(unit, sides, number, self.repetitions(unit))
            print(f"{unit['workload']} {unit['size']}: {word(split)} of {len(unit['search'])} splits; {self.bench.left():.0f} s left", flush=True)
            self.save()

    def irregular(self):
        present = [name for name in predict_rows.IRREGULAR if os.path.exists(f"{self.bench.build}/bench/{name}")]
        self.search(present)

    def iterate(self):
        """Kernels launched again and again over buffers that stay: two GPUs, one, and the vendor's driver alone."""
        vendors = self.machine.vendors()
        sides = [Side(ONE_GPU, "one", self.machine.env(devices=self.machine.gpus[0]))] + vendors[:1]
        if len(self.machine.gpus) > 1:
            sides.insert(0, Side(TWO_GPUS, "auto", self.machine.env(devices=",".join(self.machine.gpus[:2]))))
        self.tell(sides)
        for kernel, size, steps in (("nbody", self.options.bodies, 100), ("stencil3d", self.options.edge, 200)):
            command = ["iterate", "--kernel", kernel, "--size", str(size), "--steps", str(steps)]
            unit = new_unit(f"iterate {kernel}", f"{size}, {steps} steps", "pageable", sides, command=command)
            self.document["units"].append(unit)
            for number in range(self.options.turns):
                if self.bench.has_time_for_turn(unit, sides, self.options.reserve):
                    self.bench.turn(unit, sides, number, self.options.repeat or 3)
            self.save()
        if len(self.machine.gpus) > 1:
            self.halo(sides[0])

    def halo(self, side):
        """What one more step of the stencil moves, against the layers that two halves have to exchange. A step that moves nothing was not split."""
        edge, moved = self.options.edge, {}
        for steps in HALO_STEPS:
            unit = new_unit("iterate stencil3d", str(edge), "pageable", [side],
                            command=["iterate", "--kernel", "stencil3d", "--size", str(edge), "--steps", str(steps)])
            stats, _ = self.bench.statistics(unit, side, 1)
            if stats:
                moved[steps] = moved_bytes(stats)
        about = "a step of the iterated stencil moves the two layers at the halves' border and no more (bytes; from one GPU and to the other)"
        goal = {"each_at_least": 0.99}
        if len(moved) < 2:
            self.document["more_rows"].append(made_row("iterate_halo", about, goal, [], ["iterate stencil3d"]))
            return
        fewer, more = HALO_STEPS
        step, needed = (moved[more] - moved[fewer]) / (more - fewer), 2 * 2 * edge * edge * 4
        entry = {"workload": "iterate stencil3d", "size": str(edge), "base": f"{step:.0f} bytes a step for {needed}",
                 "figure": needed / max(step, needed) if step > 0 else 0.0, "met": 0 < step <= needed / 0.99}
        self.document["more_rows"].append(made_row("iterate_halo", about, goal, [entry]))

    def load(self):
        """How soon `auto` follows when another program takes the processor."""
        warm, singles = self.warm(), self.machine.singles()
        self.tell([warm] + singles)
        entries, missing = [], []
        for unit in self.units([warm], workloads=[name for name in self.options.load_workloads.split(",") if name in self.options.workloads.split(",")]):
            try:
                if not self.bench.has_time_for_turn(unit, [], self.options.reserve):
                    raise OSError("no time was left")
                self.prepare(unit, [warm])
                entries += predict_load.measure(self.bench, unit, warm, singles)
            except OSError as error:
                missing.append(f"{unit['workload']} {unit['size']}")
                self.bench.failures.append(f"{missing[-1]}, load: {error}")
            self.save()
        self.document["more_rows"].append(predict_load.load_row(entries, missing))

    def deciding(self):
        program = f"{self.bench.build}/bench/micro/partition_bench"
        command = [program, "--benchmark_filter=^decide/", "--benchmark_format=json", "--benchmark_repetitions=5", "--benchmark_report_aggregates_only=true"]
        found = {}
        if os.path.exists(program):
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
            entries = json.loads(done.stdout)["benchmarks"] if done.returncode == 0 else []
            found = {entry["run_name"]: entry["cpu_time"] / 1e3 for entry in entries
                     if entry.get("aggregate_name") == "median" and entry["time_unit"] == "ns" and not entry.get("error_occurred")}
        self.document["deciding_us"] = found
        self.document["more_rows"].append(predict_rows.deciding_row(found))

    def calibrated(self):
        """{device: [to, from]} of the links, in bytes per second, and what the host copies."""
        database = os.path.join(self.bench.folder, "calibrated.db")
        env = {name: value for name, value in self.machine.env().items() if name.startswith("SKMD_")}
        profile = [f"{self.bench.build}/bin/skmd-profile", "--db", database, "--json", "--no-progress"]
        done = subprocess.run([*profile, "calibrate", "--quick", "--devices", self.options.devices],
                              capture_output=True, text=True, check=False, timeout=300, env={**os.environ, **env})
        if done.returncode != 0:
            raise Unusable("skmd-profile calibrate: " + (done.stderr or done.stdout).strip()[-400:])
        return pinned_rates(json.loads(done.stdout)), copy_rate()

    def bound(self):
        """`auto` against the least time that what was measured of memory, links and devices allows."""
        rates, copies = self.calibrated()
        warm, singles = self.warm(), self.machine.singles()
        self.tell([warm] + singles)
        self.document["bound"] = {"pinned_bytes_per_second": rates, "copy_bytes_per_second": copies}
        entries, missing, goal = [], [], {"each_at_least": 0.80}
        for unit in self.units([warm]):
            entry = self.bound_of(unit, warm, singles, rates, copies) if self.bench.has_time_for_turn(unit, [], self.options.reserve) else None
            if entry is None:
                missing.append(f"{unit['workload']} {unit['size']}")
            else:
                entries.append({**entry, "met": entry["figure"] >= goal["each_at_least"]})
            self.save()
        self.document["more_rows"].append(made_row("bound", "auto with a warm database against each workload's own bound", goal, entries, missing))

    def bound_of(self, unit, warm, singles, rates, copies):
        self.bench.fill(unit, warm, self.options.fill.split(","), self.repetitions(unit))
        repetitions = self.repetitions(unit)
        unit["stats"], seconds = self.bench.statistics(unit, warm, repetitions)
        unit["alone"] = {}
        for side in singles:
            short = 3 if side.probe else repetitions
            stats, _ = self.bench.statistics(unit, side, short, timed=True)
            if stats:
                unit["alone"][side.name] = {"seconds": worked_seconds(stats, 0) / short, "bytes": moved_bytes(stats) / short, "device": side.devices[0]}
        if not unit["stats"] or not unit["alone"]:
            return None
        alone = [next((each["seconds"] for each in unit["alone"].values() if each["device"] == name), 0.0) for name in warm.devices]
        links = [(entry["bytes_to"] / repetitions, entry["bytes_from"] / repetitions, *rates.get(name, (0.0, 0.0)))
                 for name, entry in zip(warm.devices, unit["stats"]["transfers"])]
        host = max(each["bytes"] for each in unit["alone"].values())
        least, what = bound(host, copies, links, alone)
        unit["sides"][warm.name]["processes"].append(seconds)
        unit["bound"] = {"seconds": least, "what": what}
        return plain_entry(unit["workload"], unit["size"], middle([seconds], settled(len(seconds))), least, what, {})
