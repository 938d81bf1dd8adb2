# SPDX-License-Identifier: Apache-2.0
"""Tables of how long whole processes take, for redraw_results.py: of build/bench/start and scripts/bench-gpu.sh --start."""
import statistics

from tables import markdown


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


KINDS = {"start_goals": start_goals, "start_programs": start_programs, "start_sides": start_sides, "start_phases": start_phases}
