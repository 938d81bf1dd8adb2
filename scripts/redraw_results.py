#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes every table and figure in docs/results from the raw JSON beside it.

    redraw_results.py [--check] [FOLDER]       redraws the pages; with --check only says whether they are up to date
    redraw_results.py --collect OUT FOLDER TEXT   puts what bench/scripts/sixteen.sh left in FOLDER into one raw file, with
                                               TEXT saying on which machine and by which command it was made
    redraw_results.py --rows OUT LINES TEXT    the same of what `build/bench/cpu --json >LINES` or `build/bench/start --json >LINES` printed
    redraw_results.py --origin OUT FILE TEXT   the same of what `scripts/bench-gpu.sh --start|--preempt --out FILE` or `scripts/bench-remote.sh --out FILE` left
    redraw_results.py --prediction OUT EVALUATED SHOWN TRAIN TEST TEXT   the same of what `skmd-profile --json evaluate --train TRAIN
                                               --test TEST --points` and `skmd-profile --json show --samples` answered
    redraw_results.py --groups OUT PROFILE EVALUATED OWN TAGS TEXT   what a group took in the samples of PROFILE (a file of `skmd-profile export`), with what
                                               `skmd-profile --json evaluate` answered by the smaller sizes and by the real one itself

What `scripts/bench-predict.sh --out FILE` left is a raw file as it is, named raw/gpu-….json.

A page, and the README at the top, holds `<!-- table KIND raw/FILE.json -->`; what follows it up to `<!-- end -->` is replaced, by a line that says so where there is no
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
import gpu_results  # noqa: E402
import group_results  # noqa: E402
import prediction_results  # noqa: E402
import preempt_results  # noqa: E402
import quick_results  # noqa: E402
import remote_results  # noqa: E402
import start_results  # noqa: E402
from tables import markdown  # noqa: E402

MARKER = re.compile(r"(<!-- (table|figure) (\w+) (\S+) -->\n).*?(<!-- end -->)", re.S)


def percent(groups):
    total = sum(groups)
    return " / ".join(f"{100 * count / total:.0f} %" for count in groups) if total else "-"


def counts(pairs):
    return ", ".join(f"{name} {count}" for name, count in pairs.items() if count) or "-"


def shares(raw):
    """Per workload and kernel: access class, launches, which device did what share, how results were merged, why not split."""
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


def costs(raw):
    """Per row of bench/scripts/profile_costs.py: the goal, the worst figure and the middle one."""
    def named(entry):
        return f"{entry[1]:.3g}, {entry[0]}"

    rows = []
    for row in raw["rows"]:
        figures = sorted(row["figures"].items(), key=lambda entry: entry[1])
        rows.append([row["about"], f"{row['at_most']:.3g} {row['unit']}", named(figures[-1]) if figures else "-", f"{figures[len(figures) // 2][1]:.3g}" if figures else "-",
                     str(len(figures)), "yes" if row["met"] else "**no**"])
    return markdown(["what", "at most", "worst", "median", "figures", "met"], rows)


KINDS = {**start_results.KINDS, **remote_results.KINDS, **preempt_results.KINDS, "costs": costs, "cpu": cpu, "cpu_bars": cpu_bars, "suites": suites, "gpus": gpus, "scaling": scaling, "rounds": rounds, "trips": trips, "shares": shares, "times": times, "origin": origin, "calls": calls, "planning": planning, "steps": steps,
         "merges": merges, "faults": faults, "random_kernels": random_kernels, "random_features": random_features}


TABLES = {**prediction_results.TABLES, **group_results.TABLES, **gpu_results.TABLES, **quick_results.TABLES}
FIGURES = {**prediction_results.FIGURES, **gpu_results.FIGURES}


def read_raw(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


NOT_YET = "Not measured yet.\n"


def redrawn(page, folder, pictures, not_yet=NOT_YET):
    """The page with its tables, from raw data in `folder` by the page's own paths; figures go to `pictures`, by their paths."""
    def table(match):
        begin, what, kind, name, end = match.groups()
        raws = {os.path.basename(path): read_raw(path) for path in sorted(glob.glob(os.path.join(folder, name)))}
        if not raws:
            return begin + not_yet + end
        if kind in KINDS:
            return begin + KINDS[kind](*raws.values()) + end
        if what == "table":
            return begin + (TABLES[kind](raws) or not_yet) + end
        draw, words = FIGURES[kind]
        picture = draw(raws)
        if picture is None:
            return begin + not_yet + end
        place = os.path.join(os.path.dirname(os.path.dirname(name)), f"{kind}.svg")  # beside the folder of raw data
        pictures[place] = picture
        return begin + f"![{words}]({place})\n" + end
    return MARKER.sub(table, page)


def wanted_files(folder):
    """{path: content} of all pages and figures of a folder; of a README two folders up too, where there is one, whose paths begin with docs/results."""
    wanted = {}
    folder = os.path.abspath(folder)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".md"):
            pictures = {}
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                wanted[os.path.join(folder, name)] = redrawn(file.read(), folder, pictures)
            wanted.update({os.path.join(folder, place): picture for place, picture in pictures.items()})
    top = os.path.dirname(os.path.dirname(folder))
    readme = os.path.join(top, "README.md")
    if folder == os.path.join(top, "docs", "results") and os.path.exists(readme):
        with open(readme, encoding="utf-8") as file:
            pictures = {}
            wanted[readme] = redrawn(file.read(), top, pictures, not_yet="")
        wanted.update({os.path.join(top, place): picture for place, picture in pictures.items()})
    return wanted


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
    if arguments[:1] == ["--groups"] and len(arguments) == 7:
        group_results.collect(*arguments[1:])
        return 0
    check = "--check" in arguments
    rest = [argument for argument in arguments if argument != "--check"]
    folder = rest[0] if rest else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "results")
    stale = 0
    for path, content in sorted(wanted_files(folder).items()):
        name = os.path.basename(path)
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
