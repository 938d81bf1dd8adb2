# SPDX-License-Identifier: Apache-2.0
"""How soon `auto` divides anew when another program begins to compute on the processor, and when it ends. Part `load` of predict.py."""
import os
import statistics
import subprocess
import sys

from predict_rows import made_row
from predict_served import Served

QUIET, LOADED = 20, 30  # repetitions
WINDOW = 3              # repetitions whose median counts as one
MOST_LAUNCHES, SHARE = 10, 0.9
ABOUT = f"a second load on the processor begins, and ends: launches until auto is at {SHARE:g} of the new best, against {MOST_LAUNCHES}"
GOAL = {"each_at_least": 1.0}


def launches_until(seconds, best, share=SHARE, window=WINDOW):
    """How many repetitions go by before the median of the next `window` is no longer than best/share; None where that never comes."""
    for first in range(len(seconds) - window + 1):
        if share * statistics.median(seconds[first:first + window]) <= best:
            return first
    return None


def entry(workload, size, what, seconds, best, base):
    """One change of the load: `seconds` of the repetitions behind it."""
    count = launches_until(seconds, best)
    words = f"{base}; {'never' if count is None else f'{count} launches'}"
    figure = 0.0 if count is None else min(MOST_LAUNCHES / max(count, 1), MOST_LAUNCHES)
    return {"workload": f"{workload}, load {what}", "size": size, "base": words, "figure": figure, "seconds": statistics.median(seconds[-WINDOW:]),
            "base_seconds": best, "turns": 1, "met": count is not None and count <= MOST_LAUNCHES}


class Load:
    """As many endless loops as there are processors."""

    def __enter__(self):
        self.processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def settled_median(seconds):
    return statistics.median(seconds[len(seconds) // 2:])


def best_of(served, auto, others):
    """(seconds, name) of the fastest side now: `auto` as it has settled, or another one, asked in turn."""
    found = [(settled_median(auto), "auto itself")]
    for name, side in others.items():
        found.append((settled_median(side.run(6)), name))
    return min(found)


def measure(bench, unit, warm, singles):
    """[entries]; the repetitions are kept in the unit. Raises OSError where a workload ends early."""
    served = {}
    try:
        served = {side.name: Served(bench, unit, side) for side in [warm] + singles}
        auto, others = served[warm.name], {name: each for name, each in served.items() if name != warm.name}
        quiet = auto.run(QUIET)
        quiet_best = best_of(served, quiet, others)
        with Load():
            loaded = auto.run(LOADED)
            loaded_best = best_of(served, loaded, others)
        after = auto.run(LOADED)
        unit["load"] = {"quiet": quiet, "loaded": loaded, "after": after, "best": {"quiet": quiet_best, "loaded": loaded_best}}
        after_best = min(quiet_best, (settled_median(after), "auto itself"))
        return [entry(unit["workload"], unit["size"], "begins", loaded, *loaded_best), entry(unit["workload"], unit["size"], "ends", after, *after_best)]
    finally:
        for each in served.values():
            each.close()


def load_row(entries, missing):
    return made_row("load", ABOUT, GOAL, entries, missing)
