#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What knowing costs: profiling runs, fitting, predicting, and a large profile database, row by row with goals.

    profile_costs.py [--build FOLDER] [--rows a,b] [--workloads a,b] [--size SIZE] [--origin TEXT --out FILE]

Rows: models (bench/micro/model_bench), first (a process's first result with 10,000 kernels stored, against no database), calls
(bench/micro/call_cost over the stub driver with a database, against none), run (`skmd-profile run` of the sixteen on two unlike devices of the CPU driver,
against the plain run; and how right its progress bar is; --workloads: of these only). Both sides of a comparison run in turns. Exit status 0; 1 where a
goal is missed."""
import argparse
import json
import os
import pty
import re
import statistics
import subprocess
import sys
import tempfile
import time

from gpu import SIXTEEN, facts
from predict import commit_of
from predict_runs import busy_seconds

TURNS = 21  # of two processes of milliseconds
STORED_KERNELS = 10_000
SPANS = 4  # samples of each of them
SHORTEST_JUDGED = 0.2  # seconds left: as often as the bar is drawn
THIRD = 1 / 3
TOLD = 20  # lines of each run that are kept
RUN_TURNS = 3  # of a plain run and a profiled one; a profiled run of a minute and more is not repeated
LONG_RUN = 60.0  # seconds
TWO_DEVICES = "best:1,avx2:1"  # of row run


def without_pocl(folder):
    """No vendor's driver: what the machine's own processor does on the CPU driver."""
    empty = os.path.join(folder, "no vendors")
    os.makedirs(empty, exist_ok=True)
    return {**os.environ, "SKMD_VENDORS": empty, "SKMD_CACHE_DIR": os.path.join(folder, "cache")}


def output(command, env):
    return subprocess.run(command, env=env, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def seconds_of(command, env):
    begin = time.perf_counter()
    output(command, env)
    return time.perf_counter() - begin


def row(name, about, unit, limit, figures):
    """`figures`: of each thing that was measured a number, of which none may be above `limit`."""
    return {"row": name, "about": about, "unit": unit, "at_most": limit, "figures": figures, "met": all(figure <= limit for figure in figures.values())}


def models(build, _folder, _options):
    text = output([f"{build}/bench/micro/model_bench", "--benchmark_format=json", "--benchmark_repetitions=3", "--benchmark_report_aggregates_only=true",
                   "--benchmark_min_time=0.01"], os.environ)
    medians = [(entry["run_name"], entry["cpu_time"] * 1e-6) for entry in json.loads(text)["benchmarks"] if entry["aggregate_name"] == "median"]
    fits = {name.split("/", 1)[1]: value for name, value in sorted(medians, key=lambda pair: pair[1]) if name.startswith("fit/")}
    return [row("fit", "one kernel's profile of two sizes is fitted to, processor time", "ms", 5, fits),
            row("predict", "a launch on 64 devices and its plans, processor time", "ms", 1, {"64 devices": dict(medians)["predict/64"]})]


def large_database(build, folder, env):
    """Of as many kernels that no process has, on a device that is here."""
    database = os.path.join(folder, "large.db")
    subprocess.run([f"{build}/bin/skmd-profile", "--db", database, "--no-progress", "run", "--tag", "small", "--", f"{build}/bench/vector_add", "--size", "small"],
                   env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    exported = os.path.join(folder, "small.jsonl")
    output([f"{build}/bin/skmd-profile", "--db", database, "export", exported], env)
    with open(exported, encoding="utf-8") as file:
        head, *lines = [json.loads(line) for line in file]
    sample = next(line for line in lines if line.get("kernel") == "vector_add" and not line["first_use"])
    many = os.path.join(folder, "many.jsonl")
    with open(many, "w", encoding="utf-8") as file:
        print(json.dumps(head), file=file)
        for kernel in range(STORED_KERNELS):
            for span in range(SPANS):
                print(json.dumps({**sample, "kernel": f"kernel_{kernel}", "program": f"{kernel:032x}", "last": sample["first"] + 1 + span}), file=file)
    output([f"{build}/bin/skmd-profile", "--db", database, "import", many], env)
    return database


def first(build, folder, _options):
    env = without_pocl(folder)
    database = large_database(build, folder, env)
    vendors = os.path.join(folder, "skmd")
    os.makedirs(vendors)
    with open(os.path.join(vendors, "skmd.icd"), "w", encoding="utf-8") as file:
        file.write(f"{build}/lib/libskmd.so\n")
    env["OCL_ICD_VENDORS"] = vendors  # as the installed driver
    command = [f"{build}/bench/vector_add", "--size", "small"]
    times = {"off": [], database: []}
    for _ in range(TURNS):
        for stored, seconds in times.items():
            seconds.append(seconds_of(command, {**env, "SKMD_PROFILE_DB": stored}))
    off, on = (statistics.median(seconds) for seconds in times.values())
    return [{**row("first", f"a process's first result with {STORED_KERNELS:,} kernels stored, against no database: more", "ms", 3,
                   {"vector_add small": (on - off) * 1e3}), "off_ms": [s * 1e3 for s in times["off"]], "stored_ms": [s * 1e3 for s in times[database]]}]


def calls(build, folder, _options):
    vendors = os.path.join(folder, "skmd")
    os.makedirs(vendors)
    with open(os.path.join(vendors, "skmd.icd"), "w", encoding="utf-8") as file:
        file.write(f"{build}/lib/libskmd.so\n")
    env = {**os.environ, "STUB_DEVICES": "1", "STUB_QUIET": "1", "OCL_ICD_VENDORS": vendors, "SKMD_VENDORS": f"{build}/tests/stub-icd/vendors",
           "SKMD_CACHE_DIR": os.path.join(folder, "cache of calls")}
    rounds = {"off": [], "stored": []}
    for _ in range(TURNS):
        rounds["off"].append(json.loads(output([f"{build}/bench/micro/call_cost"], {**env, "SKMD_PROFILE_DB": "off"})))
        rounds["stored"].append(json.loads(output([f"{build}/bench/micro/call_cost"], env)))
    names = {"clSetKernelArg": "set_kernel_arg_ns", "empty kernel + clFinish": "empty_kernel_finish_us", "launches in a row": "pipelined_launch_us"}
    ratios = {name: statistics.median(on[key]["median"] / off[key]["median"] for on, off in zip(rounds["stored"], rounds["off"])) for name, key in names.items()}
    return [row("calls", "calls with the default database, against none, over a driver that does nothing", "times", 1.05, ratios)]


def bar_of(command, env):
    """Seconds, and what the bar said was left beside what was: pairs of seconds."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, env)
    begin, said = time.perf_counter(), []
    while True:
        try:
            text = os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            break
        if not text:
            break
        now = time.perf_counter() - begin
        for minutes, seconds in re.findall(r"%, (?:(\d+) min )?(\d+) s left", text):
            said.append((now, int(minutes or 0) * 60 + int(seconds)))
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    if status != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {status}")
    total = time.perf_counter() - begin
    return total, [(left, total - now) for now, left in said]


def wrong_by(pairs):
    """Relative errors of what was said to be left, for as long as SHORTEST_JUDGED was left: `5 s left` is right of anything from four to five seconds."""
    return [max(0.0, real - said, said - 1 - real) / real for said, real in pairs if real >= SHORTEST_JUDGED]


def bar_facts(errors):
    """Of all lines of some runs; None: none was long enough."""
    if not errors:
        return None
    return {"lines": len(errors), "median": statistics.median(errors), "right": sum(error <= THIRD for error in errors) / len(errors)}


def thinned(pairs):
    """At most TOLD of a run's lines, as [said, real]."""
    return [[said, round(real, 3)] for said, real in pairs[::max(1, len(pairs) // TOLD)]]


def run_of(name, size, build, folder, env):
    """One workload, plain and under `skmd-profile run` in turns."""
    application = [f"{build}/bench/{name}", "--size", size]
    plain = [f"{build}/bin/skmd-run", "--profile-db", "off", "--", *application]
    output(plain, env)  # builds
    plain_seconds, run_seconds, errors, told = [], [], [], []
    begin, busy = time.perf_counter(), busy_seconds()
    for turn in range(RUN_TURNS):
        plain_seconds.append(seconds_of(plain, env))
        if turn > 0 and max(run_seconds) >= LONG_RUN:
            continue
        database = os.path.join(folder, f"{name}-{turn}.db")
        total, pairs = bar_of([f"{build}/bin/skmd-profile", "--db", database, "run", "--", *application], env)
        run_seconds.append(total)
        errors += wrong_by(pairs)
        told.append(thinned(pairs))
    after = busy_seconds()
    others = max(0.0, (after[0] - busy[0]) - (after[1] - busy[1])) / ((time.perf_counter() - begin) * (os.cpu_count() or 1))
    return {"plain_seconds": plain_seconds, "run_seconds": run_seconds, "others": others, "bar": bar_facts(errors), "told": told}


def run(build, folder, options):
    env = {**without_pocl(folder), "SKMD_TEST_CPUS": TWO_DEVICES}
    workloads = {}
    for name in options.workloads.split(","):
        workloads[name] = run_of(name, options.size, build, folder, env)
        print(f"{name}: {json.dumps(workloads[name])}", file=sys.stderr, flush=True)
    times = {name: statistics.median(one["run_seconds"]) / statistics.median(one["plain_seconds"]) for name, one in workloads.items()}
    bars = {name: one["bar"]["median"] for name, one in workloads.items() if one["bar"]}
    return [{**row("run", f"`skmd-profile run` at {options.size} on two devices, against the plain run", "times", 20, times), "workloads": workloads},
            row("bar", f"time left as the progress bar says it, while {SHORTEST_JUDGED:g} s are left and more: wrong by, in the median", "of it", THIRD, bars)]


ROWS = {"models": models, "first": first, "calls": calls, "run": run}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--workloads", default=",".join(SIXTEEN), help="of row run")
    parser.add_argument("--size", default="profile1", help="of row run")
    parser.add_argument("--origin", default="")
    parser.add_argument("--out")
    options = parser.parse_args()
    for what, given, known in (("row", options.rows, ROWS), ("workload", options.workloads, SIXTEEN)):
        if unknown := sorted(set(given.split(",")) - set(known)):
            parser.error(f"no such {what}: {' '.join(unknown)}; there are {' '.join(known)}")
    return options


def main():
    options = arguments()
    rows = []
    for name in options.rows.split(","):
        with tempfile.TemporaryDirectory() as folder:
            for measured in ROWS[name](os.path.abspath(options.build), folder, options):
                rows.append(measured)
                worst = max(measured["figures"].items(), key=lambda pair: pair[1], default=("nothing", 0.0))
                print(f"{measured['about']}: at most {measured['at_most']:.3g} {measured['unit']}; worst {worst[1]:.3g} ({worst[0]})"
                      f"{'' if measured['met'] else '  MISSED'}", flush=True)
    if options.out:
        command = " ".join(["bench/scripts/profile_costs.py", *sys.argv[1:]])
        top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump({"origin": options.origin, "machine": {**facts(options.build), "devices": f"SKMD_TEST_CPUS={TWO_DEVICES} (row run)"}, "commit": commit_of(top), "command": command, "rows": rows}, file, indent=1)
            file.write("\n")
    return 0 if all(measured["met"] for measured in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
