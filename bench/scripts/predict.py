#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How well work is divided on this machine, row by row with goals.

    predict.py --build FOLDER [--quick] [--parts a,b] [--devices LIST] [--out FILE] …

Parts:
  sixteen    auto, with and without a database, against SKMD over each device, and against the vendor's driver alone
  modes      auto against paper, linear, equal and single
  pinned     auto against the vendor's driver alone, the applications' memory being page-locked
  search     auto against the best split that a search finds, at a size never measured before
  irregular  the same of workloads whose work-groups differ
  bound      auto against what memory, links and devices allow
  iterate    launches over buffers that stay: two GPUs, one, the vendor's driver alone
  load       how soon auto follows when another program takes the processor, and gives it back
  deciding   what deciding costs (needs a build)
--quick measures on two devices of the CPU driver with unlike code, one thread each: sixteen with modes at two sizes, search of six, deciding.

What is compared is measured in one run, by processes in turns; medians count, of processes during which other programs took at most a twentieth of the
processors' time, or of the three least disturbed. Databases of measured times are made in a temporary folder.
No turn begins that would not be over within --seconds; what had none is told. Exit status: 0; 1 where a goal is missed; 2 for wrong use or where
something could not be measured."""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import predict_rows
from gpu import SIXTEEN, facts
from predict_math import DISTURBED, disturbed_part
from predict_parts import Gpus, Processors, Run
from predict_runs import Bench, Unusable, clean_environment, default_devices

SIZES = ("small", "profile1", "profile2", "paper")
PARTS = {"sixteen": "sixteen", "modes": "modes_part", "pinned": "pinned", "search": "search", "irregular": "irregular", "bound": "bound", "iterate": "iterate",
         "load": "load", "deciding": "deciding"}
REPETITIONS = {"small": 41, "profile1": 15, "profile2": 15, "paper": 12}
QUICK_REPETITIONS = {"small": 31, "profile1": 8}
QUICK_TURNS = 60  # at most, of what misses a goal
QUICK_SEARCH = "black_scholes,histogram,median_filter,mersenne_twister,reduction,vector_add"


def written(value):
    """Six digits are more than clocks know."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: written(each) for key, each in value.items()}
    return [written(each) for each in value] if isinstance(value, (list, tuple)) else value


def write(path, document):
    """One line for each workload and row."""
    parts = []
    for key, value in written({name: value for name, value in document.items() if name != "more_rows"}).items():
        text = json.dumps(value, separators=(",", ":"))
        if key in ("units", "rows") and value:
            text = "[\n  " + ",\n  ".join(json.dumps(each, separators=(",", ":")) for each in value) + "]"
        parts.append(f" {json.dumps(key)}: {text}")
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(parts) + "\n}\n")
    os.replace(path + ".part", path)


def commit_of(top):
    """Of the tree, where this is one; a bundle has a file."""
    try:
        with open(os.path.join(top, "commit"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        command = ["git", "-C", top, "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip() or "unknown"


def add_measuring(parser):
    parser.add_argument("--workloads", default="", help="default: the sixteen")
    parser.add_argument("--sizes", default="", help="default: paper")
    parser.add_argument("--turns", type=int, default=1, help="processes of each side")
    parser.add_argument("--most-turns", type=int, default=0, help="of workloads that miss a goal, if there is time; default: --turns")
    parser.add_argument("--repeat", type=int, default=0, help="repetitions in each process; default: by size")
    parser.add_argument("--fill", default="auto,equal", help="modes of the processes that fill a database")
    parser.add_argument("--fill-sizes", default="profile1,profile2", help="at which they do so for a search")
    parser.add_argument("--each-gpu", dest="alike", action="store_false", help="measure each GPU alone, and not only the first of a platform")
    parser.add_argument("--check", action="store_true", help="compare results in processes that are not timed")
    parser.add_argument("--steps", default="5,2", help="percent by which a search changes the best split")
    parser.add_argument("--grid", type=int, default=0, help="a search tries all splits in so many percent first")
    parser.add_argument("--tries", type=int, default=40, help="splits that a search tries at most")
    parser.add_argument("--try-repetitions", type=int, default=4)
    parser.add_argument("--bodies", type=int, default=262144, help="of iterated nbody")
    parser.add_argument("--load-workloads", default="black_scholes,vector_add", help="of the part load")
    parser.add_argument("--edge", type=int, default=1024, help="of the iterated stencil")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--parts", default="", help="default: sixteen; with --quick all that it has")
    parser.add_argument("--devices", default="", help="what the virtual device is made of, as skmd-run's; default: two GPUs at most, and the processor")
    parser.add_argument("--vendor", default="nvidia", help="a part of the name of the library whose devices count as the vendor's alone")
    add_measuring(parser)
    parser.add_argument("--seconds", type=float, default=540, help="after which no turn begins that would not be over by then")
    parser.add_argument("--timeout", type=int, default=60, help="seconds that one process may take")
    parser.add_argument("--reserve", type=float, default=0, help="seconds that must be left for a workload to be begun; default: 30, or 5")
    parser.add_argument("--commit", default="", help="of what is measured, where neither git nor the bundle tells it")
    parser.add_argument("--out", default="bench-predict.json")
    options = parser.parse_args()
    options.parts = options.parts or ("sixteen,search,deciding" if options.quick else "sixteen")
    options.workloads = options.workloads or ",".join(SIXTEEN)
    options.sizes = options.sizes or ("small,profile1" if options.quick else "paper")
    unknown = [part for part in options.parts.split(",") if part not in PARTS] + [size for size in options.sizes.split(",") if size not in SIZES]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}")
    options.build = os.path.abspath(options.build)
    options.repetitions = {**REPETITIONS, **QUICK_REPETITIONS} if options.quick else REPETITIONS
    options.reserve = options.reserve or (5 if options.quick else 30)
    options.most_turns = options.most_turns or (QUICK_TURNS if options.quick else options.turns)
    # One thread takes seconds for each repetition.
    options.is_too_long = lambda workload, size: options.quick and (workload, size) == ("nbody", "profile1")
    return options


def quick_part(run, part):
    options = run.options
    if part == "sixteen":
        run.both()
    elif part == "search":
        options.grid, options.steps, options.fill_sizes, options.sizes = 10, "", "small", options.sizes.split(",")[-1]
        run.search([name for name in QUICK_SEARCH.split(",") if name in options.workloads.split(",")])
    else:
        getattr(run, PARTS[part])()


def rows_of(document, machine):
    rows = predict_rows.rows_of(machine.rows, document["units"], len(machine.gpus)) + document["more_rows"]
    split = predict_rows.first_split_row(document["units"]) if machine.gpus else None
    return rows + ([split] if split else [])


def status_of(document):
    """2 where something is missing, else 1 where a goal is missed, else 0."""
    if not document["rows"] or document["failures"] or any(row["missing"] for row in document["rows"]):
        return 2
    return 1 if any(row["met"] is False for row in document["rows"]) else 0


def measure(options, folder, kept):
    os.environ.update({"SKMD_PROFILE_DB": "off", "SKMD_CACHE_DIR": os.path.join(folder, "cache")})  # never the user's own
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    options.devices = options.devices or default_devices(options.build)
    bench = Bench(options, folder)
    machine = Processors(bench, options) if options.quick else Gpus(bench, options)
    document = {"version": 1, "machine": facts(options.build), "commit": options.commit or commit_of(top),
                "command": " ".join(["scripts/bench-predict.sh", *sys.argv[3:]]), "environment": kept, "parts": options.parts.split(","),
                "devices": "SKMD_TEST_CPUS=" + ",".join(machine.CPUS) if options.quick else options.devices, "gpus": len(machine.gpus),
                "sides": {}, "units": [], "more_rows": [], "failures": bench.failures, "rows": []}

    def save():
        document["rows"] = rows_of(document, machine)
        write(options.out, document)

    run = Run(options, document, bench, machine, save)
    for part in options.parts.split(","):
        if options.quick:
            quick_part(run, part)
        else:
            getattr(run, PARTS[part])()
        save()
    run.more_turns()
    save()
    return document


def main():
    options = arguments()
    kept = clean_environment()
    try:
        with tempfile.TemporaryDirectory(prefix="bench-predict-") as folder:
            document = measure(options, folder, kept)
    except Unusable as error:
        print(f"predict.py: {error}", file=sys.stderr)
        return 2
    print(predict_rows.table(document["rows"]))
    disturbed = disturbed_part(side for unit in document["units"] for side in unit["sides"].values())
    if disturbed:
        print(f"During {100 * disturbed:.0f} % of the processes other programs took more than {100 * DISTURBED:.0f} % of the processors' time.")
    for text in document["failures"]:
        print(f"FAILED {text}")
    return status_of(document)


if __name__ == "__main__":
    sys.exit(main())
