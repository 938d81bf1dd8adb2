#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes every table and figure in docs/results from the raw JSON beside it.

    redraw_results.py [--check] [FOLDER]       redraws the pages; with --check only says whether they are up to date
    redraw_results.py --collect OUT FOLDER TEXT   puts what bench/scripts/sixteen.sh left in FOLDER into one raw file, with
                                               TEXT saying on which machine and by which command it was made
    redraw_results.py --rows OUT LINES TEXT    the same of what `build/bench/cpu --json >LINES` or `build/bench/start --json >LINES` printed
    redraw_results.py --origin OUT FILE TEXT   the same of what `scripts/bench-gpu.sh --start --out FILE` left
    redraw_results.py --prediction OUT EVALUATED SHOWN TRAIN TEST TEXT   the same of what `skmd-profile --json evaluate --train TRAIN
                                               --test TEST --points` and `skmd-profile --json show --samples` answered

A page holds `<!-- table KIND raw/FILE.json -->`; what follows it up to `<!-- end -->` is replaced, by a line that says so where there is no
such file yet. `<!-- figure KIND raw/FILE.json -->` becomes KIND.svg beside the page. FILE may hold a `*`: all such files are in one table or figure
then."""
import glob
import json
import math
import os
import re
import statistics
import sys

sys.dont_write_bytecode = True
import prediction_results  # noqa: E402

MARKER = re.compile(r"(<!-- (table|figure) (\w+) (\S+) -->\n).*?(<!-- end -->)", re.S)


def markdown(head, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head)] + rows]
    return "\n".join(lines) + "\n"


def percent(groups):
    total = sum(groups)
    return " / ".join(f"{100 * count / total:.0f} %" for count in groups) if total else "-"


def counts(pairs):
    return ", ".join(f"{name} {count}" for name, count in pairs.items() if count) or "-"


def shares(raw):
    """Per workload and kernel: access class, launches, who did what share, how results were merged, why not split."""
    rows = []
    for run in raw["runs"]:
        for kernel in run["stats"]["kernels"]:
            rows.append([run["answer"]["workload"], f"`{kernel['name']}`", kernel["access"],
                         f"{kernel['split_launches']} of {kernel['launches']}", percent(kernel["groups"]),
                         counts(kernel["merge"]), counts(kernel["not_split"]),
                         f"{run['answer']['checked']}, {'ok' if run['answer']['ok'] else 'WRONG'}"])
    return markdown(["workload", "kernel", "access", "split launches", "groups on each device", "merge (buffers)",
                     "kept whole", "checked"], rows)


def times(raw):
    """Per workload: median seconds, host to host, and bytes moved."""
    rows = []
    for run in raw["runs"]:
        moved = [f"{sum(t[key] for t in run['stats']['transfers']) / 1e6:.1f}" for key in ("bytes_to", "bytes_from")]
        rows.append([run["answer"]["workload"], f"{statistics.median(run['answer']['seconds']):.4f}", *moved])
    return markdown(["workload", "median seconds", "MB to devices", "MB from devices"], rows)


def origin(raw):
    return raw["origin"] + "\n"


def calls(raw):
    """Per driver and call: bare, through SKMD, and what that adds. Medians over the rounds, each a median itself."""
    names = {"set_kernel_arg_ns": "clSetKernelArg, ns", "empty_kernel_finish_us": "empty kernel + clFinish, us",
             "pipelined_launch_us": "launches in a row, us each", "cached_build_ms": "cached clBuildProgram, ms"}
    rows = []
    for driver, rounds in raw["calls"].items():
        for key, name in names.items():
            bare, ours = ([run[side][key]["median"] for run in rounds] for side in ("without", "with"))
            added = [b - a for a, b in zip(bare, ours)]
            rows.append([driver, name, f"{statistics.median(bare):.3g}", f"{statistics.median(ours):.3g}",
                         f"{statistics.median(added):.3g}", f"{min(added):.3g} to {max(added):.3g}"])
    return markdown(["driver", "call", "bare", "through SKMD", "added", "added, all rounds"], rows)


def planning(raw):
    return markdown(["for three devices", "us (processor time, median)"],
                    [[name.replace("_", " "), f"{ns / 1000:.2f}"] for name, ns in raw["planning_ns"].items()])


def steps(raw):
    """Bytes that one more step moves to and from two devices together."""
    rows = []
    for entry in raw["steps"]:
        few, many = entry["runs"]
        span = many["steps"] - few["steps"]
        rows.append([entry["kernel"], str(entry["size"]), f"{few['steps']} and {many['steps']}",
                     *(f"{(many[way] - few[way]) / span:.0f}" for way in ("to", "from"))])
    return markdown(["kernel", "size", "steps", "bytes to devices per step", "bytes from devices per step"], rows)


def merges(raw):
    """Joining against a copy of the same bytes in the same run: elapsed, and processor time of all threads together."""
    medians = {entry["name"].split("/process_time")[0]: entry for entry in raw["benchmarks"] if entry["aggregate_name"] == "median"}
    copy = medians["copy"]
    return markdown(["what", "elapsed, ms", "copies of the same bytes", "processor time, ms", "copies"],
                    [[name, f"{entry['real_time']:.1f}", f"{entry['real_time'] / copy['real_time']:.1f}", f"{entry['cpu_time']:.1f}",
                      f"{entry['cpu_time'] / copy['cpu_time']:.1f}"] for name, entry in medians.items()])


def gpus(raw):
    """Per workload: the best single device without SKMD, and SKMD in each mode; seconds of the fastest repetition."""
    def fastest(answers):
        known = [(min(answer["seconds"]), name) for name, answer in answers.items() if "seconds" in answer]
        return min(known, default=(None, "none ended"))

    def shown(seconds):
        return f"{seconds:.4f}" if seconds >= 0.002 else f"{seconds:.6f}"

    def cell(answer, best):
        if "seconds" not in answer:
            return [answer.get("error", "wrong"), ""]
        return [shown(min(answer["seconds"])), f"{min(answer['seconds']) / best:.2f}" if best else ""]

    rows = []
    for workload, row in raw["workloads"].items():
        best, name = fastest(row["vendor"])
        line = [workload, name.partition(":")[2] or name, shown(best) if best else ""]
        for mode in raw["modes"]:
            line += cell(row["skmd"][mode], best)
        rows.append(line)
    head = ["workload", "best single device", "seconds"]
    for mode in raw["modes"]:
        head += [f"{mode}, s", "of the best"]
    return markdown(head, rows)


def rounds(raw):
    """Per workload and way to run it: the median of its processes' medians, and each of them, in microseconds."""
    first = {}
    rows = []
    for row in raw["rows"]:
        middle = statistics.median(row["medians"])
        alone = first.setdefault(row["workload"], middle)
        rows.append([row["workload"], row["variant"], f"{middle * 1e6:.0f}", f"{middle / alone:.2f}",
                     " ".join(f"{seconds * 1e6:.0f}" for seconds in row["medians"])])
    return markdown(["workload", "by", "us", "of the driver alone", "each process"], rows)


def trips(raw):
    """Per way to run round_trips and stretch of repetitions: medians over the processes, in microseconds, and the processes' fastest and slowest."""
    rows = []
    for run in raw["runs"]:
        for stretch in run["processes"][0]:
            each = [process[stretch] for process in run["processes"]]
            calls = [key for key in each[0] if key not in ("total", "longest", "computing")]
            total, computing = ([round(row[key], 1) for row in each if key in row] for key in ("total", "computing"))
            rows.append([run["by"], stretch, *(f"{statistics.median(row[call] for row in each):.1f}" for call in calls), f"{statistics.median(total):.1f}",
                         f"{min(total):.0f} to {max(total):.0f}", f"{statistics.median(computing):.1f}" if computing else ""])
    return markdown(["by", "repetitions", *calls, "all four", "all processes", "told as the kernel's"], rows)


def scaling(raw):
    """Per workload: median seconds by the number of devices, and times as fast as one."""
    medians = {(run["workload"], run["gpus"]): statistics.median(run["seconds"]) for run in raw["runs"]}
    spread = {(run["workload"], run["gpus"]): f"{min(run['seconds']):.4f} to {max(run['seconds']):.4f}" for run in raw["runs"]}
    return markdown(["workload", "GPUs", "median seconds", "all", "times one", "fastest, times one"],
                    [[workload, str(count), f"{seconds:.4f}", spread[workload, count], f"{medians[workload, 1] / seconds:.2f}",
                      f"{fastest(raw, workload, 1) / fastest(raw, workload, count):.2f}"]
                     for (workload, count), seconds in medians.items()])


def fastest(raw, workload, count):
    return min(min(run["seconds"]) for run in raw["runs"] if (run["workload"], run["gpus"]) == (workload, count))


def suites(raw):
    """Per suite and mode: outcomes, launches that were split, why the others stayed whole."""
    def share(row):
        return str(row["programs"]) + (f" of {row['planned']}" if row["mode"] == "pocl" and row["programs"] < row["planned"] else "")

    rows = [[row["suite"], "PoCL alone" if row["mode"] == "pocl" else f"`{row['mode']}`", share(row), str(row["ran"]), str(row["passed"]),
             str(row["failed"]), "" if row["mode"] == "pocl" else f"{row['split']} of {row['launches']}", counts(row["whole"]),
             counts(row.get("elsewhere", {})), str(row["processor_seconds"])] for row in raw["rows"]]
    ours = [row for row in raw["rows"] if row["mode"] != "pocl"]
    rows.append(["all", "SKMD", *(str(sum(row[key] for row in ours)) for key in ("programs", "ran", "passed", "failed")),
                 f"{sum(row['split'] for row in ours)} of {sum(row['launches'] for row in ours)}", "", "", str(sum(row["processor_seconds"] for row in ours))])
    return markdown(["suite", "on", "programs", "outcomes", "passed", "failed", "split launches", "kept whole", "kernels on another CPU driver", "processor seconds"], rows)


def faults(raw):
    """Runs of the fault matrix per configuration, of several builds."""
    rows = []
    for build in raw["builds"]:
        for entry in build["runs"]:
            rows.append([build["build"], entry["configuration"], str(entry["calls"]), str(entry["allocations"]), str(entry["failures"])])
        totals = [str(sum(entry[key] for entry in build["runs"])) for key in ("calls", "allocations", "failures")]
        rows.append([build["build"], "all", *totals])
    return markdown(["build", "configuration", "runs: a vendor's call fails", "runs: an allocation fails", "not good"], rows)


def random_kernels(raw):
    """What a run of scripts/random-kernels.sh --record counted."""
    split, needed = raw["split_without_used_atomics"], raw["without_used_atomics"]
    rows = [["commit, command", f"{raw['commit']}, `{raw['command']}`"], ["seconds", str(raw["seconds"])], ["programs", str(raw["programs"])],
            ["**failures**", f"**{raw['failures']}**"], ["cases, of them chains of 20 kernels", f"{raw['cases']}, {raw['chains']}"],
            ["programs split", f"{raw['split_programs']}; of those without used atomics {split} of {needed}, {100 * split / needed:.1f} %"],
            ["launches in the splitting modes", f"{raw['launches']['all']}, of them split {raw['launches']['split']}"],
            ["launches compared slice by slice", str(raw["verified_launches"])],
            ["rungs, in programs", counts(raw["rung_programs"])], ["rungs, in buffers of launches", counts(raw["rung_buffers"])],
            ["launches kept whole", counts(raw["not_split"])], ["cases that PoCL is excused for", counts(raw["pocl"])],
            ["cases by mode", counts(raw["modes"])], ["commands", counts(raw["commands"])]]
    return markdown(["what", "count"], rows)


def random_features(raw):
    return markdown(["feature", "programs"], [[name.replace("_", " "), f"{count}, {100 * count / raw['programs']:.1f} %"]
                                              for name, count in raw["features"].items()])


def cpu(raw):
    """The table of build/bench/cpu: goal, figure, spread over the repetitions, both sides' times."""
    def number(value):
        return "-" if value is None else f"{value:.3g}"

    def seconds(details, key):
        return f"{1e3 * details[key]:.3g} ms" if key in details else "-"

    rows = []
    for row in raw["rows"]:
        (kind, bound), details = *row["goal"].items(), row.get("details") or {}
        low, high = row["spread"] or (None, None)
        rows.append([row["name"], f"{kind.replace('_', ' ')} {bound:g} {row['unit']}", row.get("error") or f"{number(row['figure'])} {row['unit']}",
                     f"{number(low)} to {number(high)}", seconds(details, "seconds"), seconds(details, "base_seconds"), "yes" if row["met"] else "**no**"])
    return markdown(["row", "goal", "figure", "spread", "ours", "compared with", "met"], rows)


def cpu_bars(raw):
    """How many times as fast as PoCL, on a scale of powers of two; the line is PoCL."""
    def bar(figure):
        steps = round(4 * math.log2(figure))
        return "▇" * steps if steps > 0 else "◁" * -steps

    ratios = [row for row in raw["rows"] if row["unit"] == "x" and "at_least" in row["goal"] and "/" not in row["name"] and row["figure"]]
    width = max(len(row["name"]) for row in ratios)
    return "```\n" + "".join(f"{row['name']:{width}} {row['figure']:7.2f} │{bar(row['figure'])}\n" for row in ratios) + "```\n"


def start_goal(goal):
    if not goal:
        return "none"
    words = [f"mean at most {goal['geometric_mean_at_most']:g}"] if "geometric_mean_at_most" in goal else []
    if "each_at_most" in goal:
        more = f" + {goal['plus_seconds'] * 1e3:g} ms" if goal["plus_seconds"] else ""
        words.append(f"each at most {goal['each_at_most']:g} x{more}")
    return ", ".join(words)


def start_goals(raw):
    """Per row of build/bench/start or scripts/bench-gpu.sh --start: goal, geometric mean, the program that is worst."""
    def worst(row):
        entry = max(row["programs"], key=lambda entry: entry["figure"], default=None)
        return f"{entry['program']} {entry['size']}, {entry['figure']:.2f}" if entry else "-"

    return markdown(["row", "goal", "geometric mean", "largest", "met"],
                    [[row["about"], start_goal(row["goal"]), row.get("error") or f"{row['figure']:.3f}", worst(row),
                      {True: "yes", False: "**no**", None: "-"}[row["met"]]] for row in raw["rows"]])


def start_programs(raw):
    """Per program: medians of whole processes in milliseconds, and the smallest and the largest of them."""
    def times(entry, median, spread):
        return f"{entry[median] * 1e3:.0f} ({entry[spread][0] * 1e3:.0f} to {entry[spread][1] * 1e3:.0f})"

    return markdown(["row", "program", "size", "SKMD, ms", "alone, ms", "ratio", "turns", "kept"],
                    [[row["row"], entry["program"], entry["size"], times(entry, "seconds", "seconds_spread"),
                      times(entry, "base_seconds", "base_spread"), f"{entry['figure']:.2f}", str(entry["turns"]),
                      {True: "yes", False: "**no**", None: "-"}[entry.get("met")]] for row in raw["rows"] for entry in row["programs"]])


def start_sides(raw):
    """Per program and side of scripts/bench-gpu.sh --start: medians of whole processes, and of building and the first result."""
    def median(times, key):
        known = [value[key] for value in times if value.get(key) is not None]
        return f"{statistics.median(known):.3f}" if known else "-"

    names = list(dict.fromkeys(side for row in raw["rows"] for entry in row["programs"] for side in entry["sides"]))
    head = ["row", "program", "size"] + [f"{name}: {what}" for name in names for what in ("process, s", "computing", "of it building")]
    return markdown(head, [[row["row"], entry["program"], entry["size"],
                            *(median(entry["sides"][name], key) for name in names for key in ("process", "inside", "build"))]
                           for row in raw["rows"] for entry in row["programs"]])


def start_phases(raw):
    """What a process spends where: medians, milliseconds."""
    return markdown(["phase", *raw["sides"]], [[phase["name"], *(f"{phase[side]:.1f}" if side in phase else "-" for side in raw["sides"])]
                                               for phase in raw["phases"]])


KINDS = {"start_goals": start_goals, "start_programs": start_programs, "start_sides": start_sides, "start_phases": start_phases, "cpu": cpu, "cpu_bars": cpu_bars, "suites": suites, "gpus": gpus, "scaling": scaling, "rounds": rounds, "trips": trips, "shares": shares, "times": times, "origin": origin, "calls": calls, "planning": planning, "steps": steps,
         "merges": merges, "faults": faults, "random_kernels": random_kernels, "random_features": random_features}


def read_raw(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def redrawn(page, folder, pictures):
    """The page with its tables; figures go to `pictures`, by name."""
    def table(match):
        begin, what, kind, name, end = match.groups()
        raws = {os.path.basename(path): read_raw(path) for path in sorted(glob.glob(os.path.join(folder, name)))}
        if not raws:
            return begin + "Not measured yet.\n" + end
        if kind in KINDS:
            return begin + KINDS[kind](*raws.values()) + end
        if what == "table":
            return begin + prediction_results.TABLES[kind](raws) + end
        draw, words = prediction_results.FIGURES[kind]
        picture = draw(raws)
        if picture is None:
            return begin + "Not measured yet.\n" + end
        pictures[f"{kind}.svg"] = picture
        return begin + f"![{words}]({kind}.svg)\n" + end
    return MARKER.sub(table, page)


def collect(out, folder, text):
    runs = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".stats.json"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                stats = json.load(file)
            with open(os.path.join(folder, name[:-len(".stats.json")] + ".json"), encoding="utf-8") as file:
                runs.append({"answer": json.load(file), "stats": stats})
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"origin": text, "runs": runs}, file, indent=1)
        file.write("\n")


def collect_rows(out, lines, text):
    with open(lines, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"origin": text, "rows": rows}, file, indent=1)
        file.write("\n")


def collect_document(out, document, text):
    with open(document, encoding="utf-8") as file:
        content = json.load(file)
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"origin": text, **content}, file, indent=1)
        file.write("\n")


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--origin"] and len(arguments) == 4:
        collect_document(*arguments[1:])
        return 0
    if arguments[:1] == ["--rows"] and len(arguments) == 4:
        collect_rows(*arguments[1:])
        return 0
    if arguments[:1] == ["--collect"] and len(arguments) == 4:
        collect(*arguments[1:])
        return 0
    if arguments[:1] == ["--prediction"] and len(arguments) == 7:
        prediction_results.collect(*arguments[1:])
        return 0
    check = "--check" in arguments
    rest = [argument for argument in arguments if argument != "--check"]
    folder = rest[0] if rest else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "results")
    wanted = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".md"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                wanted[name] = redrawn(file.read(), folder, wanted)
    stale = 0
    for name, content in sorted(wanted.items()):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if file.read() == content:
                    continue
        stale += 1
        print(f"{name}: {'is not what its raw data say' if check else 'redrawn'}")
        if not check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
