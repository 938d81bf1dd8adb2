# SPDX-License-Identifier: Apache-2.0
"""The tables and figures of docs/results/prediction.md: what SKMD (TOCS 2015) has in Table III and Figs. 7, 8 and 12, of our samples.
For redraw_results.py. Each function takes all raw files {name: content}; `collect` makes such a file."""
import json
import statistics

import figures

# By our workloads' names: how the paper calls them, its two profile sizes and its real one (Table III).
PAPER = {
    "aes_encrypt": ("AESEncrypt", "1,024², 2,048² pixels", "4,096²"), "aes_decrypt": ("AESDecrypt", "1,024², 2,048² pixels", "4,096²"),
    "binomial_option": ("BinomialOption", "16,384, 65,536 options", "524,288"), "black_scholes": ("Blackscholes", "1, 8 million options", "32 million"),
    "box_muller": ("BoxMuller", "8, 32 million numbers", "192 million"), "fdtd3d": ("FDTD3d", "64³ radius 1, 128³ radius 2", "256³ radius 2"),
    "histogram": ("Histogram", "4, 16 million numbers", "67 million"), "matrix_multiplication": ("MatrixMultiplication", "1,024², 2,048²", "8,192²"),
    "matrix_transpose": ("MatrixTranspose", "1,024², 2,048²", "8,192²"), "median_filter": ("MedianFilter", "1,920 × 1,080, 3,840 × 2,160", "7,680 × 4,320"),
    "mersenne_twister": ("MersenneTwister", "8, 64 million numbers", "192 million"), "nbody": ("Nbody", "65,536, 131,072 particles", "524,288"),
    "reduction": ("Reduction", "8, 34 million numbers", "67 million"), "scan_blocks": ("ScanLargeArrays", "500,000, 1 million numbers", "8 million"),
    "sobel_filter": ("SobelFilter", "1,920 × 1,080, 3,840 × 2,160", "7,680 × 4,320"), "vector_add": ("VectorAdd", "8, 16 million numbers", "50 million"),
}
COLUMNS, PANEL = 3, (300, 210)


def kernels_of(raws):
    """(raw file's name, its content, one kernel on one device), in the order of kernels and devices."""
    found = [(name, raw, kernel) for name, raw in raws.items() for kernel in raw["evaluate"]["kernels"]]
    return sorted(found, key=lambda entry: (entry[2]["name"], entry[2]["device"], entry[0]))


def devices_of(raws):
    return list(dict.fromkeys((name, kernel["device"]) for name, _, kernel in kernels_of(raws)))


def launches_of(raw, kernel):
    """The timed launches of a kernel on a device, by tag."""
    return [launch for launch in raw["launches"] if launch["kernel"] == kernel["name"] and launch["device"] == kernel["device"]
            and launch["program"] == kernel["program"]]


def extents(launches, tags):
    sizes = sorted({tuple(launch["global"]) for launch in launches if launch["tag"] in tags})
    return ", ".join("×".join(f"{extent:,}" for extent in size) for size in sizes) or "-"


def percent(part):
    return f"{100 * part:.1f} %" if part < 10 else f"{100 * part:.2g} %"


def origins(raws):
    return "".join(f"- `{name}`: {raw['origin']}\n" for name, raw in raws.items())


def goals(raws):
    head = "| device | spans | median | 90th percentile | in the 80 % band |\n| --- | --- | --- | --- | --- |\n"
    return head + "".join(
        f"| {device['device']} | {device['points']} | {percent(device['median'])} | {percent(device['p90'])} | {percent(device['coverage80'])} |\n"
        for raw in raws.values() for device in raw["evaluate"]["devices"])


def table3(raws):
    head = ("| kernel (the paper's name) | the paper: profiles | real | device | ours, work-items: profiles | real | spans | median | p90 | in the band | "
            "L2 error, ms | mean time, ms | rate | paper's form |\n|" + " --- |" * 14 + "\n")
    rows = []
    for _, raw, kernel in kernels_of(raws):
        paper = PAPER.get(kernel["name"], ("-", "-", "-"))
        launches = launches_of(raw, kernel)
        measured = [point[2] for point in kernel["points"]]
        rows.append(f"| `{kernel['name']}` ({paper[0]}) | {paper[1]} | {paper[2]} | {kernel['device']} | {extents(launches, raw['train'])} | "
                    f"{extents(launches, raw['test'])} | {kernel['test']} | {percent(kernel['median'])} | {percent(kernel['p90'])} | "
                    f"{percent(kernel['coverage80'])} | {1e3 * kernel['l2_seconds']:.3g} | {1e3 * sum(measured) / len(measured):.3g} | "
                    f"{percent(kernel['models']['rate'])} | {percent(kernel['models']['paper'])} |\n")
    return head + "".join(rows)


def fig7(raws):
    """Times over groups: each profiled launch, and the real one with what was predicted of it."""
    lines = []
    entries = kernels_of(raws)
    for i, (_, raw, kernel) in enumerate(entries):
        series = [{"label": f"{tag}, measured", "points": [(groups, 1e3 * seconds) for launch in launches_of(raw, kernel) if launch["tag"] == tag
                                                          for groups, seconds in launch["spans"]]} for tag in raw["train"]]
        points = sorted(kernel["points"])
        series.append({"label": f"{' '.join(raw['test'])}, measured; line and band: predicted", "points": [(point[0], 1e3 * point[2]) for point in points],
                       "line": [(point[0], 1e3 * point[3]) for point in points if point[3] > 0],
                       "band": [(point[0], 1e3 * point[4], 1e3 * point[5]) for point in points]})
        place = (PANEL[0] * (i % COLUMNS), PANEL[1] * (i // COLUMNS))
        lines += figures.panel(f"{kernel['name']}, {kernel['device']}", [one for one in series if one["points"]], ("work-groups", "milliseconds"), place, PANEL)
    return figures.svg(PANEL[0] * min(COLUMNS, len(entries)), PANEL[1] * -(-len(entries) // COLUMNS), lines)


def fig8(raws):
    """Time of parts of vector_add's smallest profiled launch, as part of the whole's."""
    series = []
    for _, raw, kernel in kernels_of(raws):
        launches = [launch for launch in launches_of(raw, kernel) if launch["tag"] in raw["train"]]
        if kernel["name"] != "vector_add" or not launches:
            continue
        launch = min(launches, key=lambda one: one["groups"])
        whole = [seconds for groups, seconds in launch["spans"] if groups == launch["groups"]]
        if whole:
            spans = sorted((groups / launch["groups"], seconds / min(whole)) for groups, seconds in launch["spans"])
            series.append({"label": f"{kernel['device']}, of {launch['groups']:,} groups", "points": spans, "line": spans})
    if not series:
        return None
    least = min(x for one in series for x, _ in one["points"])
    series.append({"label": "in proportion", "line": [(least, least), (1, 1)], "dash": "3 3"})
    return figures.svg(420, 280, figures.panel("vector_add", series, ("part of the work-groups", "part of the whole's time"), (0, 0), (420, 280)))


def fig12(raws):
    """(a) Euclidean norm of the errors, in milliseconds; (b) relative errors."""
    names = list(dict.fromkeys(kernel["name"] for _, _, kernel in kernels_of(raws)))

    def values(device, value):
        known = {kernel["name"]: value(kernel) for name, _, kernel in kernels_of(raws) if (name, kernel["device"]) == device}
        return [known.get(name) for name in names]

    norms = [{"label": device[1], "values": values(device, lambda kernel: 1e3 * kernel["l2_seconds"])} for device in devices_of(raws)]
    errors = [{"label": f"{device[1]}, {what}", "values": values(device, lambda kernel, key=key: 100 * kernel[key])}
              for device in devices_of(raws) for key, what in (("median", "median"), ("p90", "90th percentile"))]
    size = (max(420, 46 * len(names)), 280)
    return figures.svg(size[0], 2 * size[1], figures.bars("(a) L2 norm of the errors", names, norms, "ms", (0, 0), size)
                       + figures.bars("(b) error of a span", names, errors, "%", (0, size[1]), size))


def stored_decisions(raws):
    """Per workload: the third repetition of each process, and which device had most groups of the last one."""
    lines = ["| workload | nothing stored, ms | stored, ms | stored / nothing | most groups, stored |\n| --- | --- | --- | --- | --- |\n"]
    for raw in raws.values():
        for workload in dict.fromkeys(run["workload"] for run in raw["runs"]):
            sides = [[run for run in raw["runs"] if run["workload"] == workload and run["stored"] == stored] for stored in (False, True)]
            thirds = [[run["milliseconds"][2] for run in side] for side in sides]
            groups = sides[1][-1]["kernels"][0]["groups"]
            ratio = sum(thirds[1]) * len(thirds[0]) / sum(thirds[0]) / len(thirds[1])
            cells = [", ".join(f"{value:.1f}" for value in third) for third in thirds]
            lines.append(f"| {workload} | {cells[0]} | {cells[1]} | {ratio:.2f} | {'processor' if groups[0] > groups[1] else 'GPU'} |\n")
    return "".join(lines)


def decisions_of_modes(raws):
    """Per workload and mode: the median of the last eight repetitions; where the work-groups of `stored` ran."""
    modes = {"gpu": "one GPU", "cpu": "processor", "equal": "`equal`", "auto": "`auto`", "known": "`auto`, stored times"}
    lines = [f"| workload | {' | '.join(modes.values())} | work-groups of all launches by stored times, GPU / GPU / processor |\n|" + " --- |" * (len(modes) + 2) + "\n"]
    for raw in raws.values():
        for workload in dict.fromkeys(run["workload"] for run in raw["runs"]):
            runs = {run["mode"]: run for run in raw["runs"] if run["workload"] == workload}
            times = [f"{sorted(runs[mode]['milliseconds'][-8:])[4]:.1f}" for mode in modes]
            groups = runs["known"]["kernels"][0]["groups"]
            shares = " / ".join(f"{100 * part / sum(groups):.0f} %" for part in groups)
            lines.append(f"| {workload} | {' | '.join(times)} | {shares} |\n")
    return "".join(lines)


def run_origins(raws):
    lines = []
    for name, raw in raws.items():
        machine = raw["machine"]
        lines.append(f"- `{name}`: {machine['cores']} cores of {machine['processor']}, {machine['date']}; commit {raw['commit']}; `{raw['command']}`. {raw['origin']}\n")
    return "".join(lines)


def profile_runs(raws):
    """Of bench/scripts/profile_costs.py --rows run: each workload plain and under `skmd-profile run`, and how right the bar was."""
    def seconds(values):
        middle = f"{statistics.median(values):.3g}"
        return middle if len(values) == 1 else f"{middle} ({min(values):.3g} to {max(values):.3g})"

    lines = ["| workload | plain, s | `skmd-profile run`, s | times as long | of the processors' time, others | the bar: lines | wrong by, median | right to a third |\n|"
             + " --- |" * 8 + "\n"]
    for raw in raws.values():
        for row in raw["rows"]:
            for name, one in sorted(row.get("workloads", {}).items()):
                bar = one["bar"]
                told = [str(bar["lines"]), percent(bar["median"]), percent(bar["right"])] if bar else ["too short"] + ["-"] * 2
                ratio = f"{row['figures'][name]:.1f}"
                cells = [name, seconds(one["plain_seconds"]), seconds(one["run_seconds"]), ratio if row["figures"][name] <= row["at_most"] else f"**{ratio}**",
                         percent(one["others"]), *told]
                lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines)


TABLES = {"profile_run_origins": run_origins, "profile_runs": profile_runs, "prediction_origins": origins, "prediction_goals": goals, "prediction_table3": table3, "stored_decisions": stored_decisions, "stored_origins": origins,
          "decisions_of_modes": decisions_of_modes, "decision_origins": origins}
FIGURES = {"prediction_fig7": (fig7, "measured and predicted times over the number of work-groups"),
           "prediction_fig8": (fig8, "times of parts of vector_add"), "prediction_fig12": (fig12, "errors of the predictions")}


def collect(out, evaluated, shown, train, test, text):
    """One raw file of what `skmd-profile --json evaluate --points` and `skmd-profile --json show --samples` answered."""
    with open(evaluated, encoding="utf-8") as file:
        evaluation = json.load(file)
    with open(shown, encoding="utf-8") as file:
        samples = json.load(file)["samples"]
    for kernel in evaluation["kernels"]:
        kernel["points"] = [[*point[:2], *(float(f"{value:.5g}") for value in point[2:])] for point in kernel["points"]]
    launches = {}
    for sample in samples:
        if sample["first_use"] or sample["kernel_ns"] == 0:
            continue
        total = 1
        for extent, local in zip(sample["global"], sample["local"]):
            total *= extent // local
        key = (sample["kernel"], sample["program"], sample["device"], sample["tag"], tuple(sample["global"][:sample["dims"]]), total)
        launches.setdefault(key, []).append([sample["last"] - sample["first"], float(f"{sample['kernel_ns'] * 1e-9:.5g}")])
    document = {"origin": text, "train": train.split(","), "test": test.split(","), "evaluate": evaluation,
                "launches": [{"kernel": key[0], "program": key[1], "device": key[2], "tag": key[3], "global": list(key[4]), "groups": key[5],
                              "spans": sorted(spans)} for key, spans in sorted(launches.items())]}
    with open(out, "w", encoding="utf-8") as file:
        json.dump(document, file, separators=(",", ":"))
        file.write("\n")
