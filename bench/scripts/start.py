#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long whole processes take with a GPU: by the vendor's driver alone, through SKMD over that GPU alone, and through SKMD as it comes
(processors and GPUs). Processes in turns, the medians count. One JSON file with the machine's facts and every figure, and a table.

    start.py --build FOLDER [--parts cold,five,sixteen] [--repetitions N] [--seconds S] [--workloads a,b] [--sizes small,paper]
             [--add FILE]… [--out FILE]

Parts: `cold`, the programs start_* with nothing compiled before; `five`, the same with warm caches; `sixteen`, the workloads, one repetition
each, warm. Turns are taken until there are N of each or S seconds are over; what has had no turn by then is told. Processes that a vendor's
compiler takes most of vary by a third, so that a few turns do not tell 1.0 from 1.2: --add counts the turns of earlier runs of the same code, too,
and with --repetitions 0 those alone; what failed in them counts likewise. Exit status: 0, also where a
goal is missed; 1 if a process failed or gave a wrong result."""
import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time

from gpu import SIXTEEN, attempt, facts, libraries, only, write

FIVE = "start_fft start_matmul start_radix_sort start_scan start_dxt".split()
ALONE, GPU, BOTH = "vendor alone", "SKMD, GPU", "SKMD"
GOALS = {"cold": {"each_at_most": 1.10, "plus_seconds": 0.0}, "five": None,
         "sixteen": {"geometric_mean_at_most": 1.00, "each_at_most": 1.05, "plus_seconds": 0.030}}
ABOUT = {"cold": "whole processes of the five, nothing compiled before: SKMD against the vendor alone",
         "five": "whole processes of the five, caches warm: SKMD against the vendor alone (no goal)",
         "sixteen": "whole processes of the sixteen, caches warm: SKMD against the vendor alone"}


def caches(folder):
    """Where the drivers keep what they have compiled; NVIDIA's is in the home folder, too."""
    return {"CUDA_CACHE_PATH": f"{folder}/cuda", "SKMD_CACHE_DIR": f"{folder}/skmd", "SKMD_PROFILE_DB": "off", "POCL_CACHE_DIR": f"{folder}/pocl", "HOME": folder,
            "XDG_CACHE_HOME": f"{folder}/cache"}


def sides(options, folder):
    library = next((name for name in libraries() if options.vendor in os.path.basename(name)), None)
    if library is None:
        sys.exit(f"start.py: no installed driver's library has {options.vendor} in its name")
    ours = only(os.path.join(folder, "ours"), os.path.abspath(f"{options.build}/lib/libskmd.so"))
    return {ALONE: only(os.path.join(folder, "vendor"), library), GPU: {**ours, "SKMD_DEVICES": options.gpu}, BOTH: ours}


class Turns:
    """Takes turns of programs and sides, and remembers what each has taken."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.sides = sides(options, folder)
        self.end = time.monotonic() + options.seconds
        self.taken, self.failures, self.longest = {}, [], {}

    def once(self, unit, side, check=False):
        part, program, size = unit
        command = [f"{self.options.build}/bench/{program}", "--size", size] + (["--check"] if check else [])
        with tempfile.TemporaryDirectory(dir=self.folder) as fresh:
            cache = fresh if part == "cold" else os.path.join(self.folder, "warm " + side)
            os.makedirs(cache, exist_ok=True)
            begin = time.monotonic()
            answer = attempt(command, self.options.timeout, {**self.sides[side], **caches(cache)})
            seconds = time.monotonic() - begin
        if not answer.get("ok"):
            self.failures.append(f"{program}, {size}, {side}: {answer.get('error', 'a wrong result')}")
            return None
        return {"process": seconds, "inside": sum(answer["seconds"]), "build": answer.get("build_seconds")}

    def has_time_for(self, unit):
        return time.monotonic() + self.longest.get(unit, 0) <= self.end

    def warm_up(self, units):
        """Fills the caches; what is compiled does not depend on the size."""
        for part, program in dict.fromkeys(unit[:2] for unit in units):
            for side in self.sides:
                if part != "cold" and self.has_time_for(None):
                    self.once((part, program, "small"), side, check=True)

    def turn(self, unit, number):
        names = list(self.sides)
        begin = time.monotonic()
        for name in names[number % 3:] + names[:number % 3]:
            times = self.once(unit, name, check=unit[0] == "cold" and number == 0)
            if times:
                self.taken.setdefault(unit, {}).setdefault(name, []).append(times)
        self.longest[unit] = max(self.longest.get(unit, 0), time.monotonic() - begin)

    def take(self, units):
        self.warm_up(units)
        for number in range(self.options.repetitions):
            for unit in units:
                if self.has_time_for(unit):
                    self.turn(unit, number)


def compared(unit, taken, goal):
    """One program of a row: SKMD as it comes against the vendor alone, and every side's seconds."""
    _, program, size = unit
    ours, theirs = ([times["process"] for times in taken[side]] for side in (BOTH, ALONE))
    turns = [a / b for a, b in zip(ours, theirs)]
    entry = {"program": program, "size": size, "figure": statistics.median(ours) / statistics.median(theirs),
             "spread": [min(turns), max(turns)], "seconds": statistics.median(ours), "seconds_spread": [min(ours), max(ours)],
             "base_seconds": statistics.median(theirs), "base_spread": [min(theirs), max(theirs)], "turns": len(turns)}
    if goal:
        entry["met"] = entry["seconds"] <= goal["each_at_most"] * entry["base_seconds"] + goal["plus_seconds"]
    entry["sides"] = taken
    return entry


def row_of(part, units, taken):
    goal = GOALS[part]
    complete = [unit for unit in units if all(taken.get(unit, {}).get(side) for side in (ALONE, GPU, BOTH))]
    programs = [compared(unit, taken[unit], goal) for unit in complete]
    row = {"row": part, "about": ABOUT[part], "goal": goal, "figure": None, "met": None, "programs": programs}
    if programs:
        row["figure"] = math.exp(statistics.fmean(math.log(entry["figure"]) for entry in programs))
    missing = [f"{program} {size}" for _, program, size in units if (part, program, size) not in complete]
    if missing:
        row["error"] = "no turn of " + ", ".join(missing)
    if goal:
        row["met"] = not missing and all(entry["met"] for entry in programs) and row["figure"] <= goal.get("geometric_mean_at_most", math.inf)
    return row


def table(rows):
    lines = []
    for row in rows:
        lines.append(f"{row['row']}: {row['about']}")
        lines.append(f"  {'seconds':<32}{ALONE:>14}{GPU:>14}{BOTH:>14}{'ratio':>8}{'turns':>7}")
        for entry in row["programs"]:
            medians = "".join(f"{statistics.median(times['process'] for times in entry['sides'][side]):14.3f}" for side in (ALONE, GPU, BOTH))
            missed = "" if entry.get("met", True) else "  MISSED"
            lines.append(f"  {entry['program'] + ' ' + entry['size']:<32}{medians}{entry['figure']:8.2f}{entry['turns']:7}{missed}")
        if row["figure"] is not None:
            lines.append(f"  geometric mean {row['figure']:.3f}  " + {True: "met", False: "MISSED", None: ""}[row["met"]])
        if "error" in row:
            lines.append(f"  {row['error']}")
    return "\n".join(lines)


def add_earlier(taken, documents):
    """Turns of other runs, program by program and side by side."""
    for document in documents:
        for row in document["rows"]:
            for entry in row["programs"]:
                sides = taken.setdefault((row["row"], entry["program"], entry["size"]), {})
                for side, times in entry["sides"].items():
                    sides[side] = times + sides.get(side, [])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--parts", default="cold,five,sixteen")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=480, help="after which no turn begins that would not be over by then")
    parser.add_argument("--workloads", default="", help="of all parts only these")
    parser.add_argument("--sizes", default="small,paper", help="of the sixteen")
    parser.add_argument("--five-size", default="paper")
    parser.add_argument("--vendor", default="nvidia", help="a part of the name of the vendor's library")
    parser.add_argument("--gpu", default="nvidia:0", help="SKMD_DEVICES of SKMD over the GPU alone")
    parser.add_argument("--timeout", type=int, default=120, help="seconds that one process may take")
    parser.add_argument("--add", action="append", default=[], metavar="FILE", help="what an earlier run left; its turns count, too")
    parser.add_argument("--out", default="start-gpu.json")
    return parser.parse_args()


def units_of(options):
    wanted = options.workloads.split(",") if options.workloads else FIVE + SIXTEEN
    parts = options.parts.split(",")
    unknown = [name for name in parts if name not in GOALS] + [name for name in wanted if name not in FIVE + SIXTEEN]
    if unknown:
        sys.exit(f"start.py: there is no {', '.join(unknown)}")
    units = []
    for part in parts:
        for size in options.sizes.split(",") if part == "sixteen" else [options.five_size]:
            units += [(part, program, size) for program in (SIXTEEN if part == "sixteen" else FIVE) if program in wanted]
    return units


def main():
    options = arguments()
    units = units_of(options)
    earlier = []
    for name in options.add:
        with open(name, encoding="utf-8") as file:
            earlier.append(json.load(file))
    taken, failures = {}, [text for document in earlier for text in document["failures"]]
    if options.repetitions > 0:
        with tempfile.TemporaryDirectory() as folder:
            turns = Turns(options, folder)
            turns.take(units)
        taken, failures = turns.taken, failures + turns.failures
    add_earlier(taken, earlier)
    document = {"machine": facts(options.build) if options.repetitions > 0 or not earlier else earlier[0]["machine"],
                "command": " ".join(sys.argv), "seconds": options.seconds if options.repetitions > 0 else None}
    if earlier:
        document["added"] = [{"command": one["command"], "machine": one["machine"]} for one in earlier]
    document["rows"] = [row_of(part, [unit for unit in units if unit[0] == part], taken) for part in dict.fromkeys(unit[0] for unit in units)]
    document["failures"] = failures
    write(options, document)
    print(table(document["rows"]))
    for text in failures:
        print(f"FAILED {text}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
