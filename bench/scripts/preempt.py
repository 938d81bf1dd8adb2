#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What giving way costs and gains on one device: how long a stop takes, what the forms of kernels that can be stopped cost, how long a small launch
waits beside a long one. One JSON file with the machine's facts and every figure, and a table.

    preempt.py --build FOLDER [--device SELECTOR] [--parts stops,forms,beside,programs] [--milliseconds 10,5,2] [--stopped a,b] [--workloads a,b]
               [--size SIZE] [--repeat N] [--turns N] [--after US] [--no-check] [--seconds S] [--out FILE]

Without --device it is the CPU driver. Parts: `stops`, launches of --stopped that are asked to stop after --after microseconds on average, for each value of
SKMD_PREEMPT_MS; `forms`, the kernels of --workloads with SKMD_PREEMPT=auto and item over off, in processes that take turns; `beside`, build/bench/preempt's
launch of one group beside one of two seconds; `programs` (the CPU driver only), what `preempt latency`, `overhead` and `file` print. What S seconds do not
suffice for is left out and told. Exit status: 0, also where a goal is missed; 1 if a process failed or gave a wrong result."""
import argparse
import json
import math
import os
import statistics
import sys
import tempfile
import time

from gpu import SIXTEEN, attempt, facts, write

PARTS = ("stops", "forms", "beside", "programs")
MODES = ("auto", "item")
# Microseconds beside SKMD_PREEMPT_MS that a stop, and a small launch beside a long one, may take on a GPU.
STOP_ADDS, BESIDE_ADDS = 300, 1000
# Microseconds that a stop may take on the CPU driver, by the form.
CPU_STOPS = {"group": 1000, "item": 300}
# (geometric mean, each) of the times with a form over those without.
FORM_GOALS = {"auto": (1.01, 1.03), "item": (1.05, 1.12)}
LONG_SECONDS = 2


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--parts", default="", help="default: all that the device has")
    parser.add_argument("--milliseconds", default="10,5,2")
    parser.add_argument("--stopped", default="matrix_multiplication,nbody")
    parser.add_argument("--workloads", default=",".join(SIXTEEN))
    parser.add_argument("--size", default="paper")
    parser.add_argument("--repeat", type=int, default=10, help="repetitions in each process")
    parser.add_argument("--turns", type=int, default=3, help="processes of each setting")
    parser.add_argument("--after", type=int, default=20000, help="microseconds until a launch is asked to stop, on average")
    parser.add_argument("--no-check", action="store_true", help="results are not compared with the workloads' own")
    parser.add_argument("--seconds", type=float, default=3000)
    parser.add_argument("--timeout", type=int, default=300, help="seconds for each process")
    parser.add_argument("--out", default="preempt.json")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.parts = [part for part in options.parts.split(",") if part] or [part for part in PARTS if part != "programs" or options.device == "cpu"]
    return options


def command_line(words):
    """As it would be typed elsewhere: without folders."""
    folders = {index + more for index, word in enumerate(words) if word in ("--build", "--out") for more in (0, 1)}
    return " ".join(["scripts/bench-gpu.sh --preempt", *(word for index, word in enumerate(words) if index not in folders)])


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.end = time.monotonic() + options.seconds
        self.failures, self.left_out = [], []
        self.document = {"command": command_line(sys.argv[1:]), "device": options.device, "machine": facts(options.build),
                         "failures": self.failures, "left_out": self.left_out}

    def note(self, part, rows):
        """What is there so far stays where the script is ended."""
        self.document[part] = rows
        write(self.options, self.document)

    def has_time(self, what):
        if time.monotonic() < self.end:
            return True
        self.left_out.append(what)
        return False

    def run(self, workload, variables):
        """(its answer, the kernels of its statistics), or None where it failed."""
        stats = os.path.join(self.folder, "stats.json")
        command = [f"{self.options.build}/bin/skmd-run", "--devices", self.options.device, "--cache-dir", f"{self.folder}/cache", "--stats", stats, "--",
                   f"{self.options.build}/bench/{workload}", "--size", self.options.size, "--repeat", str(self.options.repeat)]
        command += [] if self.options.no_check else ["--check"]
        answer = attempt(command, min(self.options.timeout, max(10, self.end - time.monotonic())), variables)
        if not answer.get("ok"):
            self.failures.append(f"{workload}, {variables}: {answer.get('error', 'a wrong result')}")
            return None
        with open(stats, encoding="utf-8") as file:
            return answer, json.load(file)["kernels"]


def stop_goal(options, form, milliseconds):
    return CPU_STOPS.get(form) if options.device == "cpu" else milliseconds * 1e3 + STOP_ADDS


def stops(bench):
    """From a stop's request until the device is free, by workload, mode and SKMD_PREEMPT_MS."""
    options, rows = bench.options, []
    for workload in options.stopped.split(","):
        for mode in MODES:
            for milliseconds in map(float, options.milliseconds.split(",")):
                if not bench.has_time(f"stops of {workload}, {mode}, {milliseconds:g} ms"):
                    continue
                found = bench.run(workload, {"SKMD_PREEMPT": mode, "SKMD_PREEMPT_MS": f"{milliseconds:g}", "SKMD_TEST_PREEMPT": f"5:{options.after}"})
                for kernel in found[1] if found else []:
                    told = kernel["preempt"]
                    goal = stop_goal(options, told["form"], milliseconds)
                    rows.append({"workload": workload, "kernel": kernel["name"], "mode": mode, "form": told["form"], "milliseconds": milliseconds,
                                 "stops": told["stops"], "saved_groups": told["saved_groups"], "state_bytes": told["state_bytes"],
                                 "stop_us": told["stop_us"], "goal_us": goal, "why_not": told["why_not"],
                                 "met": told["stop_us"]["p99"] <= goal if told["stops"] and goal else None})
                bench.note("stops", rows)
    return rows


def later(answer):
    """Of a process's repetitions those that know how long a launch takes."""
    return answer["seconds"][len(answer["seconds"]) * 4 // 10:]


def forms(bench):
    """Times with each form over those without, of processes that take turns; launches are told of where they were not in that form."""
    options, rows = bench.options, []
    for workload in options.workloads.split(","):
        if not bench.has_time(f"forms of {workload}"):
            continue
        seconds = {mode: [] for mode in (*MODES, "off")}
        seen = {mode: set() for mode in MODES}
        for turn in range(options.turns):
            for mode in list(seconds)[::1 if turn % 2 else -1]:
                found = bench.run(workload, {"SKMD_PREEMPT": mode})
                if found is None:
                    continue
                seconds[mode].append(statistics.median(later(found[0])))
                if mode in seen:
                    seen[mode] |= {kernel["preempt"]["form"] for kernel in found[1]} - {"none"}
        rows.append({"workload": workload, "seconds": seconds, "forms": {mode: sorted(found) for mode, found in seen.items()},
                     "ratios": {mode: statistics.median(seconds[mode]) / statistics.median(seconds["off"]) for mode in MODES
                                if seconds[mode] and seconds["off"] and seen[mode]}})
        bench.note("forms", rows)
    return rows


def form_goals(rows):
    """Per mode: geometric mean and largest ratio of the workloads whose kernels had a form, and the goals."""
    summary = []
    for mode, (mean, each) in FORM_GOALS.items():
        ratios = {row["workload"]: row["ratios"][mode] for row in rows if mode in row["ratios"]}
        if not ratios:
            continue
        middle, worst = math.exp(statistics.fmean(map(math.log, ratios.values()))), max(ratios, key=ratios.get)
        summary.append({"mode": mode, "workloads": len(ratios), "geomean": middle, "worst": [worst, ratios[worst]], "geomean_at_most": mean,
                        "each_at_most": each, "met": middle <= mean and ratios[worst] <= each})
    return summary


def beside(bench):
    """A launch of one group in a second queue beside a long one: microseconds of each."""
    rows = []
    for mode in ("auto", "off"):
        if not bench.has_time(f"beside, {mode}"):
            continue
        command = [f"{bench.options.build}/bin/skmd-run", "--devices", bench.options.device, "--cache-dir", f"{bench.folder}/cache", "--",
                   f"{bench.options.build}/bench/preempt", "beside", "--long-seconds", str(LONG_SECONDS)]
        answer = attempt(command, bench.options.timeout, {"SKMD_PREEMPT": mode, "SKMD_PREEMPT_MS": "10"})
        if not answer.get("ok"):
            bench.failures.append(f"beside, {mode}: {answer.get('error', 'a wrong result')}")
            continue
        goal = 10_000 + BESIDE_ADDS if mode == "auto" else None
        rows.append({"mode": mode, "us": answer["us"], "goal_us": goal, "met": goal and statistics.median(answer["us"]) <= goal})
    return rows


def programs(bench):
    """What build/bench/preempt prints."""
    answers = {}
    for command in (["latency", "--json"], ["overhead", "--json", "--repetitions", "9"], ["file", "--json", "--cut-off", "50"]):
        if not bench.has_time(f"preempt {command[0]}"):
            continue
        answer = attempt([f"{bench.options.build}/bench/preempt", *command], 1800)
        if "error" in answer:
            bench.failures.append(f"preempt {command[0]}: {answer['error']}")
        else:
            answers[" ".join(["build/bench/preempt", *command])] = answer
    return answers


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        document = bench.document
        for part in options.parts:
            bench.note(part, {"stops": stops, "forms": forms, "beside": beside, "programs": programs}[part](bench))
            if part == "forms":
                bench.note("form_goals", form_goals(document[part]))
            print(f"{part}: done", flush=True)
    for row in document.get("stops", []):
        print(f"{row['workload']:24} {row['form']:6} {row['milliseconds']:4g} ms: {row['stops']} stops, {row['stop_us']}")
    for row in document.get("form_goals", []) + document.get("beside", []):
        print(json.dumps(row))
    for line in bench.failures + [f"left out: {what}" for what in bench.left_out]:
        print(line)
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
