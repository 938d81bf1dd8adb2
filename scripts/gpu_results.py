# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of what scripts/bench-predict.sh measured on GPUs, for redraw_results.py. Pure: raw data in, text out.

Raw files of one machine belong together: a part may have taken several calls. Of a workload that was measured twice the file that comes
later by name counts."""
import os
import sys

import figures
from tables import markdown

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "scripts"))
import predict_rows  # noqa: E402
from predict_math import compare, fastest, geometric_mean, settled  # noqa: E402
from predict_rows import ONE, SINGLE_KINDS, WARM, counted  # noqa: E402

SIZE = "paper"  # of the speed-ups


def machine_of(raw):
    """In words: which GPUs auto had, and the processor."""
    used = next((side["devices"] for name, side in raw["sides"].items() if name == WARM), [device["name"] for device in raw["machine"]["devices"]])
    gpus = {device["name"] for device in raw["machine"]["devices"] if device["kind"] == "gpu"}
    names = [name for name in used if name in gpus or not gpus]
    counted = ", ".join(f"{names.count(name)} × {name}" for name in dict.fromkeys(names))
    return f"{counted}, {raw['machine']['cores']} cores of {raw['machine']['processor'] or 'a processor'}"


def has_times(unit):
    return any(side["processes"] for side in unit["sides"].values())


class Measured:
    """All raw files of one machine."""

    def __init__(self, machine, raws):
        self.machine = machine
        self.raws = raws
        self.gpus = next(iter(raws.values()))["gpus"]
        units = {}
        for raw in raws.values():
            for unit in raw["units"]:
                key = (unit["workload"], unit["size"], unit["memory"], tuple(unit["sides"]))
                if has_times(unit) or key not in units:
                    units[key] = unit
        self.units = list(units.values())

    def rows(self):
        """All rows, over all files."""
        rows = predict_rows.rows_of(predict_rows.ROWS, self.units, self.gpus)
        more = {}
        for raw in self.raws.values():
            for row in raw["rows"]:
                if row["row"] not in predict_rows.ROWS and row["row"] != "first_split":
                    more.setdefault(row["row"], []).append(row)
        for name, parts in more.items():
            entries = {f"{entry['workload']} {entry['size']}": entry for part in parts for entry in part["entries"]}
            missing = [words for words in dict.fromkeys(words for part in parts for words in part["missing"]) if words not in entries]
            rows.append(predict_rows.made_row(name, parts[-1]["about"], parts[-1]["goal"], list(entries.values()), missing))
        split = predict_rows.first_split_row(self.units)
        return rows + ([split] if split else [])

    def compared(self):
        """{workload: unit} of the sixteen at SIZE with ordinary memory."""
        return {unit["workload"]: unit for unit in self.units
                if unit["size"] == SIZE and unit["memory"] == "pageable" and WARM in unit["sides"] and kinds_of(unit, ("vendor",))}


def kinds_of(unit, kinds):
    return {name: counted(side) for name, side in unit["sides"].items() if side["kind"] in kinds and side["processes"]}


def machines_of(raws):
    by_machine = {}
    for name, raw in raws.items():
        if raw.get("gpus"):
            by_machine.setdefault(machine_of(raw), {})[name] = raw
    return [Measured(machine, mine) for machine, mine in by_machine.items()]


def speed_up(unit, ours, kinds):
    """{figure, base, …} of a side against the fastest of some kinds, settled repetitions; None where one has no times."""
    if ours not in unit["sides"] or not unit["sides"][ours]["processes"]:
        return None
    first = settled(max(len(process) for process in unit["sides"][ours]["processes"]))
    bases = kinds_of(unit, kinds)
    best = fastest(bases, first)
    found = compare(counted(unit["sides"][ours]), bases[best[0]], first) if best else None
    return {**found, "base": best[0]} if found else None


def ways(measured):
    """[(label, side)] of what gains: one GPU with the processor, and two."""
    if measured.gpus < 2:
        return [("one GPU and the processor", WARM)]
    return [("one GPU and the processor", ONE), (f"{ {2: 'two'}.get(measured.gpus, str(measured.gpus)) } GPUs and the processor", WARM)]


def gains(measured):
    """[(workload, {(label, kinds): speed_up})]; and of all workloads that have it, the geometric mean, under the name None."""
    rows = []
    for workload, unit in measured.compared().items():
        rows.append((workload, {(label, kinds): speed_up(unit, side, kinds) for label, side in ways(measured) for kinds in (("vendor",), SINGLE_KINDS)}))
    return rows


def mean(rows, key):
    return geometric_mean(found[key]["figure"] for _, found in rows if found[key])


def speed_ups(raws):
    """The README's: times as fast as the vendor's driver alone and as the best single device, per workload."""
    text = ""
    for measured in machines_of(raws):
        rows = gains(measured)
        if not rows:
            continue
        keys = [(label, kinds) for kinds in (("vendor",), SINGLE_KINDS) for label, _ in ways(measured)]
        keys = [key for key in keys if any(found[key] for _, found in rows)]
        head = ["workload"] + [f"{label}, over {'the vendor alone' if kinds == ('vendor',) else 'the best single device'}" for label, kinds in keys]
        lines = [[workload, *(f"{found[key]['figure']:.2f}" if found[key] else "-" for key in keys)] for workload, found in rows]
        lines.append(["**geometric mean**", *(f"**{mean(rows, key):.2f}**" for key in keys)])
        text += (f"{measured.machine}. How many times as fast as the vendor's driver alone on one GPU, and as the fastest of all single devices (the "
                 f"vendor's driver alone, SKMD over a GPU alone or over the processor alone): `{SIZE}` size, host to host, medians.\n\n" + markdown(head, lines) + "\n")
    return text.rstrip("\n") + "\n" if text else None


def times(raws):
    """Per workload: milliseconds of every side, settled repetitions, with the single processes' spread."""
    text = ""
    for measured in machines_of(raws):
        units = measured.compared()
        if not units:
            continue
        names = list(dict.fromkeys(name for unit in units.values() for name in unit["sides"]))
        lines = []
        for workload, unit in units.items():
            cells = []
            for name in names:
                side = unit["sides"].get(name, {"processes": []})
                first = settled(max((len(process) for process in side["processes"]), default=0))
                found = compare(counted(side), counted(side), first)
                cells.append("-" if found is None else f"{found['seconds'] * 1e3:.2f}" if found["turns"] < 2 else
                             f"{found['seconds'] * 1e3:.2f} ({found['seconds_spread'][0] * 1e3:.2f} to {found['seconds_spread'][1] * 1e3:.2f})")
            lines.append([workload, *cells])
        text += f"{measured.machine}, milliseconds:\n\n" + markdown(["workload", *names], lines) + "\n"
    return text or None


def rows_table(raws):
    """Goals, what was measured, verdicts."""
    text = ""
    for measured in machines_of(raws):
        lines = []
        for row in measured.rows():
            worst = min(row["entries"], key=lambda entry: entry["figure"], default=None)
            spread = f" ({worst['spread'][0]:.2f} to {worst['spread'][1]:.2f})" if worst and "spread" in worst else ""
            least = f"{worst['workload']} {worst['size']}, {worst['figure']:.2f}{spread}" if worst else "-"
            missing = f"; not measured: {', '.join(row['missing'])}" if row["missing"] else ""
            figure = "-" if row["figure"] is None else f"{row['figure']:.3f}"
            lines.append([row["about"], predict_rows.goal_words(row["goal"]), figure, str(len(row["entries"])), least + missing,
                          {True: "yes", False: "**no**", None: "-"}[row["met"]]])
        text += f"{measured.machine}:\n\n" + markdown(["what", "goal", "geometric mean", "workloads", "least", "met"], lines) + "\n"
    return text or None


def origins(raws):
    lines = []
    for name, raw in raws.items():
        drivers = ", ".join(dict.fromkeys(f"{device['platform']} {device['driver_version']}" for device in raw["machine"]["devices"]))
        command = " ".join([*(f"{key}={value}" for key, value in raw["environment"].items()), raw["command"]])
        lines.append(f"- `{name}`: {machine_of(raw)}; {drivers}; Linux {raw['machine']['kernel']}; {raw['machine']['date']}; commit {raw['commit']}. "
                     f"Command: `{command}`.")
    return "\n".join(lines) + "\n"


def splits(raws):
    """Per searched workload: the best split found, what auto made of the longest kernel, and the two beside each other."""
    lines = []
    for measured in machines_of(raws):
        for unit in measured.units:
            if "best_split" not in unit:
                continue
            entry = next((predict_rows.entry_of(row, unit, measured.gpus) for row in predict_rows.ROWS.values()
                          if row["base"] == ("split",) and predict_rows.belongs(row, unit, measured.gpus)), None)
            kernel = longest_kernel(unit)
            lines.append([unit["workload"], unit["size"], " / ".join(f"{part} %" for part in unit["best_split"]), shares(kernel["groups"]) if kernel else "-",
                          str(kernel["first_split"]) if kernel else "-", f"{len(unit['search'])}{'' if unit.get('search_ended') else ', not ended'}",
                          *([milliseconds(entry["base_seconds"]), milliseconds(entry["seconds"]), f"{entry['figure']:.2f}"] if entry else ["-"] * 3)])
    head = ["workload", "size", "best split found", "`auto`, groups of the longest kernel", "first split launch", "splits tried", "best split, ms",
            "`auto`, ms", "reaches"]
    return markdown(head, lines) if lines else None


def bounds(raws):
    """Per workload: the least time, what takes it, and what part of it auto reaches."""
    lines = [[unit["workload"], unit["size"], unit["bound"]["what"], milliseconds(unit["bound"]["seconds"]), milliseconds(entry["seconds"]),
              f"{entry['figure']:.2f}"]
             for measured in machines_of(raws) for unit in measured.units if "bound" in unit
             for row in measured.rows() if row["row"] == "bound"
             for entry in row["entries"] if (entry["workload"], entry["size"]) == (unit["workload"], unit["size"])]
    return markdown(["workload", "size", "bound by", "bound, ms", "`auto`, ms", "reaches"], lines) if lines else None


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f}"


def longest_kernel(unit):
    return max(unit["stats"]["kernels"], key=lambda kernel: kernel["seconds"], default=None) if unit.get("stats") else None


def shares(groups):
    total = sum(groups)
    return " / ".join(f"{100 * count / total:.0f} %" for count in groups) if total else "-"


def speed_up_figure(raws):
    """Fig. 10: speed-ups, the vendor's driver alone above, the best single device below."""
    for measured in reversed(machines_of(raws)):
        rows = gains(measured)
        if not rows:
            continue
        names = [workload for workload, _ in rows] + ["geometric mean"]
        lines, size = [], (900, 300)
        for number, (kinds, words) in enumerate(((("vendor",), "the vendor's driver alone"), (SINGLE_KINDS, "the best single device"))):
            series = []
            for label, _ in ways(measured):
                if mean(rows, (label, kinds)):
                    each = [found[label, kinds]["figure"] if found[label, kinds] else None for _, found in rows]
                    series.append({"label": label, "values": each + [mean(rows, (label, kinds))]})
            if series:
                title = f"times as fast as {words} ({measured.machine})"
                lines += figures.linear_bars(title, names, series, "times as fast", (0, number * size[1]), size, line=1.0)
        return figures.svg(size[0], 2 * size[1], lines)
    return None


def share_figure(raws):
    """Fig. 11: which device ran what part of the work-groups of all kernels, by auto over all devices."""
    for measured in reversed(machines_of(raws)):
        units = {workload: unit for workload, unit in measured.compared().items() if unit.get("stats")}
        if not units:
            continue
        devices = [device["name"] for device in next(iter(units.values()))["stats"]["devices"]]
        parts = {}
        for workload, unit in units.items():
            groups = [sum(kernel["groups"][i] for kernel in unit["stats"]["kernels"]) for i in range(len(devices))]
            parts[workload] = [100 * count / max(sum(groups), 1) for count in groups]
        series = [{"label": f"{i}: {name}", "values": [part[i] for part in parts.values()]} for i, name in enumerate(devices)]
        title, size = f"work-groups of all launches ({measured.machine})", (900, 320)
        return figures.svg(*size, figures.stacked(title, list(parts), series, "% of the work-groups", (0, 0), size))
    return None


TABLES = {"gpu_speed_ups": speed_ups, "gpu_times": times, "gpu_rows": rows_table, "gpu_origins": origins, "gpu_splits": splits, "gpu_bounds": bounds}
FIGURES = {"gpu_fig10": (speed_up_figure, "How many times as fast SKMD is with one GPU and two and the processor, per workload"),
           "gpu_fig11": (share_figure, "Which device ran what part of the work-groups")}
