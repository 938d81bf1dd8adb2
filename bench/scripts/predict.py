#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How well work is divided on this machine, row by row with goals: `auto` against the best single device and the vendor's driver alone.

    predict.py --build FOLDER [--quick] [--parts a,b] [--devices LIST] [--out FILE] …

What is compared is measured in one run, by processes in turns; medians count. Databases of measured times are made in a temporary folder.
No turn begins that would not be over within --seconds; what had none is told. Exit status: 0; 1 where a goal is missed or a result is wrong;
2 for wrong use or where something could not be measured."""
import argparse
import json
import os
import subprocess
import sys

import predict_rows
from gpu import SIXTEEN, facts
from predict_runs import Bench, Unusable, clean_environment, default_devices, sides_of_sixteen, temporary

REPETITIONS = {"small": 41, "profile1": 15, "profile2": 15, "paper": 12}
PARTS = ("sixteen",)


def commit_of(top):
    """Of the tree, where this is one; a bundle has a file."""
    try:
        with open(os.path.join(top, "commit"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        done = subprocess.run(["git", "-C", top, "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"], capture_output=True, text=True, check=False)
        return done.stdout.strip() or "unknown"


def units_of(part, options):
    return [{"part": part, "workload": workload, "size": size, "memory": options.memory, "sides": {}}
            for size in options.sizes.split(",") for workload in options.workloads.split(",")]


def launches_of(stats, repetitions):
    """Of one repetition."""
    return sum(kernel["launches"] for kernel in stats["kernels"]) / repetitions if stats else None


def settings_of(side):
    """The driver's that do not name a temporary file."""
    return {name: value for name, value in side.env.items() if name in ("SKMD_DEVICES", "SKMD_PARTITION", "SKMD_TEST_CPUS")}


def written(value):
    """One line for each measured workload: what was measured is long."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: written(each) for key, each in value.items()}
    return [written(each) for each in value] if isinstance(value, (list, tuple)) else value


def write(path, document):
    parts = []
    for key, value in written(document).items():
        text = json.dumps(value, separators=(",", ":"))
        if key in ("units", "rows"):
            text = "[\n  " + ",\n  ".join(json.dumps(each, separators=(",", ":")) for each in written(value)) + "]" if value else "[]"
        parts.append(f" {json.dumps(key)}: {text}")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(parts) + "\n}\n")
    os.replace(path + ".part", path)


class Run:
    def __init__(self, options, document, bench):
        self.options, self.document, self.bench = options, document, bench

    def save(self):
        write(self.options.out, self.document)

    def repetitions(self, unit):
        return self.options.repeat or REPETITIONS[unit["size"]]

    def prepare(self, unit, sides):
        """Databases, and who ran what by them; compiled programs come to the cache on the way."""
        for side in sides:
            if side.database:
                self.bench.fill(unit, side, self.options.fill.split(","))
        warm = next(side for side in sides if side.name == predict_rows.WARM)
        repetitions = 4
        unit["stats"] = self.bench.statistics(unit, warm, repetitions, ["--check"] if self.options.check else [])
        unit["launches"] = launches_of(unit["stats"], repetitions)

    def sixteen(self):
        sides, gpus = sides_of_sixteen(self.bench, self.options.devices)
        self.document["sides"] = {side.name: {"devices": side.devices, "settings": settings_of(side)} for side in sides}
        units = units_of("sixteen", self.options)
        self.document["units"] += units
        self.document["gpus"] = gpus
        for number in range(self.options.turns):
            for unit in units:
                if number == 0:
                    if self.bench.left() < self.options.reserve:
                        continue
                    self.prepare(unit, sides)
                if self.bench.has_time_for_turn(unit, sides):
                    self.bench.turn(unit, sides, number, self.repetitions(unit))
                    print(f"{unit['workload']} {unit['size']}, turn {number + 1}: {self.bench.left():.0f} s left", flush=True)
                self.save()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--parts", default="sixteen", help="of " + ", ".join(PARTS))
    parser.add_argument("--devices", default="", help="what the virtual device is made of, as skmd-run's; default: two GPUs at most, and the processor")
    parser.add_argument("--vendor", default="nvidia", help="a part of the name of the library whose devices count as the vendor's alone")
    parser.add_argument("--workloads", default=",".join(SIXTEEN))
    parser.add_argument("--sizes", default="paper")
    parser.add_argument("--memory", default="pageable", choices=["pageable", "pinned"], help="of the applications")
    parser.add_argument("--turns", type=int, default=1, help="processes of each side")
    parser.add_argument("--repeat", type=int, default=0, help="repetitions in each process; default: by size")
    parser.add_argument("--fill", default="auto,equal", help="modes of the processes that fill a database")
    parser.add_argument("--each-gpu", dest="alike", action="store_false", help="measure each GPU alone, and not only the first of a platform")
    parser.add_argument("--check", action="store_true", help="compare results in processes that are not timed")
    parser.add_argument("--seconds", type=float, default=540, help="after which no turn begins that would not be over by then")
    parser.add_argument("--timeout", type=int, default=60, help="seconds that one process may take")
    parser.add_argument("--reserve", type=float, default=30, help="seconds that must be left for a workload to be begun")
    parser.add_argument("--commit", default="", help="of what is measured, where neither git nor the bundle tells it")
    parser.add_argument("--out", default="bench-predict.json")
    options = parser.parse_args()
    unknown = [part for part in options.parts.split(",") if part not in PARTS] + [size for size in options.sizes.split(",") if size not in REPETITIONS]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}")
    options.build = os.path.abspath(options.build)
    return options


def status_of(document):
    """2 where something is missing, else 1 where a goal is missed or a result was wrong, else 0."""
    if any(row["missing"] for row in document["rows"]) or not document["rows"] or document["failures"]:
        return 2
    return 1 if any(row["met"] is False for row in document["rows"]) else 0


def measure(options, folder):
    os.environ.update({"SKMD_PROFILE_DB": "off", "SKMD_CACHE_DIR": os.path.join(folder, "cache")})  # never the user's own
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    options.devices = options.devices or default_devices(options.build)
    document = {"version": 1, "machine": facts(options.build), "commit": options.commit or commit_of(top),
                "command": "scripts/bench-predict.sh " + " ".join(sys.argv[3:]), "environment": options.kept, "devices": options.devices,
                "units": [], "rows": []}
    bench = Bench(options, folder)
    run = Run(options, document, bench)
    for part in options.parts.split(","):
        getattr(run, part)()
    document["failures"] = bench.failures
    document["rows"] = predict_rows.rows_of(predict_rows.ROWS, document["units"], document["gpus"])
    run.save()
    return document


def main():
    options = arguments()
    options.kept = clean_environment()
    try:
        with temporary() as folder:
            document = measure(options, folder)
    except Unusable as error:
        print(f"predict.py: {error}", file=sys.stderr)
        return 2
    print(predict_rows.table(document["rows"]))
    for text in document["failures"]:
        print(f"FAILED {text}")
    return status_of(document)


if __name__ == "__main__":
    sys.exit(main())
