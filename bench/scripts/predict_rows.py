# SPDX-License-Identifier: Apache-2.0
"""The rows of scripts/bench-predict.sh: what is compared with what, goals, verdicts, and the printed table. Pure, as predict_math.py.

A *unit* is what was measured of one workload at one size: {"part", "workload", "size", "memory", "launches" of a repetition,
"sides": {name: {"kind", "processes", …}}}. Kinds of sides: `vendor`, a real device by its own driver; `device`, SKMD over one device; `auto`,
SKMD over all devices of --devices; `mode`, the same by another SKMD_PARTITION; `split`, fixed parts that the search found.

A goal: each_at_least (times as fast as the base, for each workload), geometric_mean_at_least, and what is let pass: or_seconds_a_launch,
or_seconds_each."""
from predict_math import compare, fastest, is_met, settled, verdict

WARM, NONE, ONE = "auto, warm database", "auto, no database", "auto, one GPU and the processor, warm database"
SINGLE_KINDS = ("vendor", "device")

# part, row: which side is ours, what the base is, from which repetition, goals. `sizes`: where the goal of the mean holds; None: everywhere.
# `many`: the row asks for two GPUs at least.
ROWS = {
    "best_device": {"part": "sixteen", "ours": WARM, "base": SINGLE_KINDS, "from": 1,
                    "about": "auto with a warm database, from the first repetition, against the best single device",
                    "goal": {"each_at_least": 0.97, "or_seconds_a_launch": 10e-6}},
    "best_device_mean": {"part": "sixteen", "ours": WARM, "base": SINGLE_KINDS, "from": 1, "sizes": ["paper"], "many": True,
                         "about": "the same at paper size on two GPUs and the processor, in the mean",
                         "goal": {"geometric_mean_at_least": 1.35}},
    "best_device_unknown": {"part": "sixteen", "ours": NONE, "base": SINGLE_KINDS, "from": 6,
                            "about": "auto without a database, from the sixth repetition, against the best single device",
                            "goal": {"each_at_least": 0.97, "or_seconds_a_launch": 10e-6}},
    "vendor": {"part": "sixteen", "ours": WARM, "base": ("vendor",), "from": "settled", "sizes": ["paper"], "many": True,
               "about": "auto on two GPUs and the processor against the vendor's driver alone, paper size",
               "goal": {"geometric_mean_at_least": 3.6}},
    "vendor_one": {"part": "sixteen", "ours": ONE, "base": ("vendor",), "from": "settled", "sizes": ["paper"],
                   "about": "auto on one GPU and the processor against the vendor's driver alone, paper size",
                   "goal": {"geometric_mean_at_least": 2.9}},
}


def side_kinds(unit, kinds):
    return {name: side["processes"] for name, side in unit["sides"].items() if side["kind"] in kinds}


def first_repetition(row, unit):
    if row["from"] != "settled":
        return row["from"]
    return settled(max((len(process) for side in unit["sides"].values() for process in side["processes"]), default=0))


def ours_of(row, gpus):
    """On one GPU, all devices are that one and the processor."""
    return WARM if row["ours"] == ONE and gpus < 2 else row["ours"]


def entry_of(row, unit, gpus):
    """One workload of a row; None where a side has no times."""
    first = first_repetition(row, unit)
    ours = unit["sides"].get(ours_of(row, gpus), {}).get("processes", [])
    bases = side_kinds(unit, row["base"])
    best = fastest(bases, first)
    compared = compare(ours, bases[best[0]], first) if best else None
    if compared is None:
        return None
    entry = {"workload": unit["workload"], "size": unit["size"], "base": best[0], **compared}
    met = is_met(entry, row["goal"], unit.get("launches") or 1)
    return entry if met is None else {**entry, "met": met}


def belongs(row, unit, gpus):
    """Whether a unit is one of a row's, on a machine part of so many GPUs."""
    if unit["part"] != row["part"] or (row.get("many") and gpus < 2):
        return False
    if ours_of(row, gpus) not in unit["sides"]:
        return False
    return not row.get("sizes") or unit["size"] in row["sizes"]


def row_of(name, row, units, gpus):
    """{row, about, goal, figure, met, entries, missing}; None where nothing of it was to be measured."""
    mine = [unit for unit in units if belongs(row, unit, gpus)]
    if not mine:
        return None
    entries = {f"{unit['workload']} {unit['size']}": entry_of(row, unit, gpus) for unit in mine}
    known = [entry for entry in entries.values() if entry]
    missing = [words for words, entry in entries.items() if not entry]
    figure, met = verdict(known, row["goal"], not missing)
    return {"row": name, "about": row["about"], "goal": row["goal"], "figure": figure, "met": met, "entries": known, "missing": missing}


def rows_of(rows, units, gpus):
    made = (row_of(name, row, units, gpus) for name, row in rows.items())
    return [row for row in made if row]


def goal_words(goal):
    words = []
    if "each_at_least" in goal:
        more = [f"{goal[key] * 1e6:g} us{what}" for key, what in (("or_seconds_a_launch", " a launch"), ("or_seconds_each", "")) if key in goal]
        words.append(f"each at least {goal['each_at_least']:g}" + "".join(f" or within {text}" for text in more))
    if "geometric_mean_at_least" in goal:
        words.append(f"geometric mean at least {goal['geometric_mean_at_least']:g}")
    if "at_most_us" in goal:
        words.append(f"at most {goal['at_most_us']:g} us")
    return ", ".join(words) or "no goal"


def duration(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"


def table(rows):
    lines = []
    for row in rows:
        lines.append(f"{row['row']}: {row['about']} ({goal_words(row['goal'])})")
        for entry in row["entries"]:
            spread = f"{entry['spread'][0]:.2f} to {entry['spread'][1]:.2f}"
            missed = "  MISSED" if entry.get("met") is False else ""
            lines.append(f"  {entry['workload'] + ' ' + entry['size']:<32}{duration(entry['seconds']):>12} for {duration(entry['base_seconds']):>12}"
                         f"{entry['figure']:8.3f} ({spread}, {entry['turns']} turns)  {entry['base']}{missed}")
        if row["missing"]:
            lines.append(f"  not measured: {', '.join(row['missing'])}")
        if row["figure"] is not None:
            lines.append(f"  geometric mean {row['figure']:.3f}  " + {True: "met", False: "MISSED", None: ""}[row["met"]])
    return "\n".join(lines)
