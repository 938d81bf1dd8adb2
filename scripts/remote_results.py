# SPDX-License-Identifier: Apache-2.0
"""Tables of what scripts/bench-remote.sh measured, for redraw_results.py."""
import statistics

from tables import markdown


def spread(values, scale, digits):
    return f"{statistics.median(values) * scale:.{digits}f} ({min(values) * scale:.{digits}f} to {max(values) * scale:.{digits}f})"


def remote_goals(raw):
    """Per row: what was compared, goal and figure."""
    def figure(row):
        return f"{row['figure']:.0f}" if float(row["figure"]).is_integer() else f"{row['figure']:.2f}"

    return markdown(["row", "what", "goal", "figure", "met"],
                    [[row["row"], row["about"], row["goal"], figure(row), "-" if row["goal"] == "none" else "yes" if row["met"] else "**no**"]
                     for row in raw["rows"]] + [["-", failure, "-", "not measured", "-"] for failure in raw["failures"]])


def remote_rates(raw):
    """Gigabytes a second of each way, by who carries the bytes."""
    rows = [row for row in raw["rows"] if "gbps" in row]
    return markdown(["row", "by", "GB/s", "seconds, median and spread"],
                    [[row["row"], side, f"{rate:.3f}", spread(row["seconds"][side], 1, 3)] for row in rows for side, rate in row["gbps"].items()])


def remote_calls(raw):
    """Microseconds of an empty kernel, alone and in rows of 200 with so many under way."""
    rows = {row["row"]: row for row in raw["rows"]}
    if "row" not in rows or "call" not in rows:
        return ""
    windows = list(rows["row"]["row_us"]["skmd"])
    return markdown(["by", "alone, us", *(f"{window} at a time, us" for window in windows)],
                    [[side, f"{rows['call']['alone_us'][side]:.0f}", *(f"{rows['row']['row_us'][side][window]:.0f}" for window in windows)]
                     for side in ("engine", "skmd")])


def remote_slow_link(raw):
    """The sixteen over a slow link."""
    entries = next((row["entries"] for row in raw["rows"] if row["row"] == "slow_link"), [])
    return markdown(["workload", "local, ms", "auto, ms", "all repetitions", "medians"],
                    [[entry["workload"], spread(entry["seconds"]["local"], 1e3, 1), spread(entry["seconds"]["auto"], 1e3, 1), f"{entry['figure']:.2f}",
                      f"{entry['later']:.2f}"] for entry in entries])


def remote_losses(raw):
    """How late results came after a server was lost."""
    rows = [row for row in raw["rows"] if row["row"].startswith("loss_") and row["late_seconds"]]
    return markdown(["row", "right results", "seconds late, median and spread"],
                    [[row["row"], f"{len(row['late_seconds'])} of {len(row['late_seconds']) + len(row['wrong'])}", spread(row["late_seconds"], 1, 1)] for row in rows])


def remote_gpus(raw):
    """Milliseconds of each repetition on a GPU here, and with one of another host."""
    return markdown(["row", "devices", "repetitions in their order, ms"],
                    [[row["row"], which, ", ".join(f"{seconds * 1e3:.0f}" for seconds in row["seconds"][which])] for row in raw["rows"] for which in row["seconds"]])


KINDS = {"remote_goals": remote_goals, "remote_rates": remote_rates, "remote_calls": remote_calls, "remote_slow_link": remote_slow_link,
         "remote_losses": remote_losses, "remote_gpus": remote_gpus}
