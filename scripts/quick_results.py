# SPDX-License-Identifier: Apache-2.0
"""Tables of what scripts/bench-predict.sh --quick measured on two devices of the CPU driver, for redraw_results.py. Pure: raw data in, text out."""
import os
import sys

from tables import markdown

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "scripts"))
from predict_rows import duration, goal_words  # noqa: E402


def rows_table(raws):
    """Goals, what was measured, verdicts."""
    lines = []
    for raw in raws.values():
        for row in raw["rows"]:
            missed = [entry for entry in row["entries"] if entry.get("met") is False]
            lines.append([row["about"], goal_words(row["goal"]), f"{row['figure']:.3f}", str(len(row["entries"])), str(len(missed)),
                          {True: "yes", False: "**no**", None: "-"}[row["met"]]])
    return markdown(["what", "goal", "geometric mean", "workloads", "that miss it", "met"], lines)


def missed_table(raws):
    """Each workload that misses a goal, with the spread of its figure over the turns."""
    lines = []
    for raw in raws.values():
        for row in raw["rows"]:
            for entry in sorted(row["entries"], key=lambda entry: entry["figure"]):
                if entry.get("met") is False:
                    spread = " ({:.2f} to {:.2f})".format(*entry["spread"]) if "spread" in entry else ""  # what was measured once has none
                    lines.append([row["about"], f"{entry['workload']} {entry['size']}".strip(), duration(entry["seconds"]), f"{duration(entry['base_seconds'])}, {entry['base']}",
                                  f"{entry['figure']:.2f}{spread}", str(entry["turns"])])
    return markdown(["what", "workload", "`auto`", "against", "figure (spread)", "turns"], lines) if lines else None


TABLES = {"quick_rows": rows_table, "quick_missed": missed_table}
