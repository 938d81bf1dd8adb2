# SPDX-License-Identifier: Apache-2.0
"""The rows of scripts/bench-predict.sh: what is compared with what, goals, verdicts, and the printed table. Pure, as predict_math.py.

A *unit* is what was measured of one workload at one size: {"workload", "size", "memory", "launches" of a repetition, "stats",
"sides": {name: {"kind", "processes", "others", …}}}. Kinds of sides: `vendor`, a real device by its own driver; `device`, SKMD over one device; `auto`,
SKMD over all devices; `mode`, the same by another SKMD_PARTITION; `split`, the fixed parts that the search found; `one`, what `iterate`
is compared with.

A row compares the side `ours` with the fastest of the kinds `base`, over the repetitions `from` to `to`. A goal: each_at_least (times as fast
as the base, for each workload), geometric_mean_at_least, and what is let pass: or_seconds_a_launch, or_seconds_each."""
from predict_math import against_fastest, is_met, settled, undisturbed, verdict

WARM, NONE, ONE = "auto, warm database", "auto, no database", "auto, one GPU and the processor, warm database"
TWO_GPUS, ONE_GPU = "auto, two GPUs", "auto, one GPU"
SINGLE_KINDS = ("vendor", "device")
IRREGULAR = ("bfs_level", "ray_march", "mandelbrot", "spmv", "quadrature")

# `sizes`: where the goal holds; `gpus`: so many are needed at least; `memory`: of the application, else pageable.
ROWS = {
    "best_device": {"ours": WARM, "base": SINGLE_KINDS,
                    "about": "auto with a warm database, from the first repetition, against the best single device",
                    "goal": {"each_at_least": 0.97, "or_seconds_a_launch": 10e-6}},
    "best_device_mean": {"ours": WARM, "base": SINGLE_KINDS, "sizes": ["paper"], "gpus": 2,
                         "about": "the same at paper size on two GPUs and the processor, in the mean", "goal": {"geometric_mean_at_least": 1.35}},
    "best_device_unknown": {"ours": NONE, "base": SINGLE_KINDS, "from": 6,
                            "about": "auto without a database, from the sixth repetition, against the best single device",
                            "goal": {"each_at_least": 0.97, "or_seconds_a_launch": 10e-6}},
    "vendor": {"ours": WARM, "base": ("vendor",), "from": "settled", "sizes": ["paper"], "gpus": 2,
               "about": "auto on two GPUs and the processor against the vendor's driver alone, paper size",
               "goal": {"geometric_mean_at_least": 3.6}},
    "vendor_one": {"ours": ONE, "base": ("vendor",), "from": "settled", "sizes": ["paper"],
                   "about": "auto on one GPU and the processor against the vendor's driver alone, paper size",
                   "goal": {"geometric_mean_at_least": 2.9}},
    "pinned": {"ours": WARM, "base": ("vendor",), "from": "settled", "memory": "pinned",
               "about": "auto against the vendor's driver alone, the application's memory page-locked", "goal": {"each_at_least": 0.97}},
    "pinned_mean": {"ours": WARM, "base": ("vendor",), "from": "settled", "memory": "pinned", "sizes": ["paper"], "gpus": 2,
                    "about": "the same at paper size on two GPUs and the processor, in the mean", "goal": {"geometric_mean_at_least": 1.35}},
    "best_split": {"ours": WARM, "base": ("split",), "from": "settled", "without": IRREGULAR,
                   "about": "auto against the best split that a search found, at a size never measured before",
                   "goal": {"geometric_mean_at_least": 0.95, "each_at_least": 0.90}},
    "irregular": {"ours": WARM, "base": ("split",), "from": "settled", "only": IRREGULAR,
                  "about": "auto against the best split found, where work-groups differ", "goal": {"each_at_least": 0.85}},
    "first_repetition": {"ours": WARM, "base": ("mode",), "to": 1, "without_base": "paper",
                         "about": "auto in a second process, its first repetition, against the best of equal, linear and single",
                         "goal": {"each_at_least": 1 / 1.05}},
    "modes": {"ours": WARM, "base": ("mode",), "from": 4,
              "about": "auto against the best of paper, linear, equal and single, from the fourth repetition",
              "goal": {"each_at_least": 1 / 1.03, "or_seconds_each": 30e-6}},
    "iterate_nbody": {"ours": TWO_GPUS, "base": ("one",), "only": ("iterate nbody",), "about": "iterated nbody: two GPUs against one",
                      "goal": {"each_at_least": 1.85}},
    "iterate_stencil": {"ours": TWO_GPUS, "base": ("one",), "only": ("iterate stencil3d",), "about": "iterated stencil: two GPUs against one",
                        "goal": {"each_at_least": 1.6}},
    "iterate_vendor": {"ours": ONE_GPU, "base": ("vendor",), "only": ("iterate nbody", "iterate stencil3d"),
                       "about": "iterated kernels on one GPU through SKMD against the vendor's driver alone", "goal": {"each_at_least": 0.98}},
}
QUICK_ROWS = {
    "best_device": {**ROWS["best_device"], "base": ("device",), "goal": {"each_at_least": 0.95, "or_seconds_a_launch": 10e-6}},
    "best_device_unknown": {**ROWS["best_device_unknown"], "base": ("device",), "goal": {"each_at_least": 0.95, "or_seconds_a_launch": 10e-6}},
    "modes": {**ROWS["modes"], "goal": {"each_at_least": 1 / 1.10, "or_seconds_each": 30e-6}},
    "best_split": {**ROWS["best_split"], "goal": {"geometric_mean_at_least": 0.90}},
}
DECIDING_US = {"decide/3": 20, "decide/9": 60, "decide/64": 500, "decide/unchanged": 1, "decide/paper": 1000}


def ours_of(row, gpus):
    """On one GPU, all devices are that one and the processor."""
    return WARM if row["ours"] == ONE and gpus < 2 else row["ours"]


def counted(side):
    """The processes of a side that are compared."""
    return undisturbed(side["processes"], side.get("others", []))


def counted_by_turns(sides):
    """{name: the processes that are compared} of {name: side}: of sides with as many processes the same turns, by the most that other programs took in one."""
    present = [side for side in sides.values() if side["processes"]]
    turns = {length for side in present for length in (len(side["processes"]), len(side.get("others", [])))}
    if len(turns) == 1:
        others = [max(parts) for parts in zip(*(side["others"] for side in present))]
        return {name: undisturbed(side["processes"], others) if side["processes"] else [] for name, side in sides.items()}
    return {name: counted(side) for name, side in sides.items()}


def bases_of(row, unit):
    return {name: side for name, side in unit["sides"].items()
            if side["kind"] in row["base"] and not (row.get("without_base") and row["without_base"] in name)}


def belongs(row, unit, gpus):
    """Whether a unit is one of a row's, on a machine part of so many GPUs."""
    if gpus < row.get("gpus", 0) or unit["memory"] != row.get("memory", "pageable"):
        return False
    if unit["workload"] in row.get("without", ()) or unit["workload"] not in row.get("only", (unit["workload"],)):
        return False
    if ours_of(row, gpus) not in unit["sides"] or not bases_of(row, unit):
        return False
    return unit["size"] in row.get("sizes", (unit["size"],))


def entry_of(row, unit, gpus):
    """One workload of a row; None where a side has no times."""
    first, last = row.get("from", 1), row.get("to")
    if first == "settled":
        first = settled(max((len(process) for side in unit["sides"].values() for process in side["processes"]), default=0))
    ours = ours_of(row, gpus)
    bases = bases_of(row, unit)
    processes = counted_by_turns({ours: unit["sides"][ours], **bases})
    compared = against_fastest(processes[ours], {name: processes[name] for name in bases}, first, last)
    if compared is None:
        return None
    entry = {"workload": unit["workload"], "size": unit["size"], "base": compared[0], **compared[1]}
    met = is_met(entry, row["goal"], unit.get("launches") or 1)
    return entry if met is None else {**entry, "met": met}


def made_row(name, about, goal, entries, missing=()):
    figure, met = verdict(entries, goal, not missing)
    return {"row": name, "about": about, "goal": goal, "figure": figure, "met": met, "entries": entries, "missing": list(missing)}


def rows_of(rows, units, gpus):
    """The rows that units belong to."""
    made = []
    for name, row in rows.items():
        mine = [(f"{unit['workload']} {unit['size']}", entry_of(row, unit, gpus)) for unit in units if belongs(row, unit, gpus)]
        if mine:
            made.append(made_row(name, row["about"], row["goal"], [entry for _, entry in mine if entry],
                                 [words for words, entry in mine if not entry]))
    return made


def plain_entry(workload, size, seconds, base_seconds, base, goal):
    """Of what was measured once, or is no measurement."""
    entry = {"workload": workload, "size": size, "base": base, "figure": base_seconds / seconds if seconds > 0 else 0.0, "seconds": seconds,
             "base_seconds": base_seconds, "turns": 1}
    met = is_met(entry, goal)
    return entry if met is None else {**entry, "met": met}


def deciding_row(microseconds):
    """Of {benchmark: microseconds}, or what is missing of them."""
    goal = {"each_at_least": 1.0}
    entries = [plain_entry(name, "", microseconds[name] * 1e-6, limit * 1e-6, "the goal", goal) for name, limit in DECIDING_US.items() if name in microseconds]
    return made_row("deciding", "what deciding costs, against what it may", goal, entries, [name for name in DECIDING_US if name not in microseconds])


def first_split_row(units):
    """Whether `auto` splits a workload's longest kernel from its first launch on, wherever the best split found is one."""
    entries, missing = [], []
    for unit in units:
        best = unit.get("best_split")
        if unit.get("search") is None or (best is not None and sum(part > 0 for part in best) < 2):
            continue
        if best is None or not unit.get("stats"):
            missing.append(f"{unit['workload']} {unit['size']}")
            continue
        kernel = max(unit["stats"]["kernels"], key=lambda kernel: kernel["seconds"])
        at_once = kernel["first_split"] == 1
        base = f"first split launch of {kernel['name']}: {kernel['first_split'] or 'none'}"
        entries.append({"workload": unit["workload"], "size": unit["size"], "base": base, "figure": 1.0 if at_once else 0.0, "met": at_once})
    goal = {"each_at_least": 1.0}
    about = "auto splits from the first launch wherever the best split found splits (1: it does)"
    return made_row("first_split", about, goal, entries, missing) if entries or missing else None


def goal_words(goal):
    words = []
    if "each_at_least" in goal:
        more = [f"{goal[key] * 1e6:g} us{what}" for key, what in (("or_seconds_a_launch", " a launch"), ("or_seconds_each", "")) if key in goal]
        words.append(f"each at least {goal['each_at_least']:.3g}" + "".join(f" or within {text}" for text in more))
    if "geometric_mean_at_least" in goal:
        words.append(f"geometric mean at least {goal['geometric_mean_at_least']:g}")
    return ", ".join(words) or "no goal"


def duration(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.2f} us"


def entry_line(entry):
    line = f"  {entry['workload'] + ' ' + entry['size']:<32}"
    if "seconds" in entry:
        line += f"{duration(entry['seconds']):>12} for {duration(entry['base_seconds']):>12}"
    line += f"{entry['figure']:8.3f}"
    if "spread" in entry:
        line += f" ({entry['spread'][0]:.2f} to {entry['spread'][1]:.2f}, {entry['turns']} turns)"
    return line + f"  {entry['base']}" + ("  MISSED" if entry.get("met") is False else "")


def table(rows):
    lines = []
    for row in rows:
        lines += [f"{row['row']}: {row['about']} ({goal_words(row['goal'])})", *map(entry_line, row["entries"])]
        if row["missing"]:
            lines.append(f"  not measured: {', '.join(row['missing'])}")
        if row["figure"] is not None:
            lines.append(f"  geometric mean {row['figure']:.3f}  " + {True: "met", False: "MISSED", None: ""}[row["met"]])
    return "\n".join(lines)
