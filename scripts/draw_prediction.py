#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws how long spans of kernels took, and what models fitted to them predict: a panel for each kernel and device.

    draw_prediction.py DATA PICTURE

DATA is what skmd-profile show --plot PICTURE hands over (profiler/commands/plot.h). PICTURE is an SVG; it appears whole or not at all.
Exit status: 0; 1 where a file cannot be read or written; 3 without matplotlib."""
import json
import math
import os
import sys

NO_MATPLOTLIB = 3
COLUMNS = 3
COLOURS = ("#3b6ea5", "#d08b2c", "#6a9a4a", "#a54b6e", "#6b5ca5", "#4aa3a0", "#8a8a3a", "#777777")

try:
    import matplotlib
except ImportError:
    matplotlib = None


def draw_panel(axes, panel):
    axes.set_title(f"{panel['kernel']} on {panel['device']}", fontsize=8)
    for launch, colour in zip(panel["launches"], COLOURS * (len(panel["launches"]) // len(COLOURS) + 1)):
        groups, seconds = zip(*launch["measured"])
        axes.plot(groups, [1e3 * value for value in seconds], ".", color=colour, markersize=4, label=launch["label"])
        if launch["predicted"]:
            groups, seconds, low, high = zip(*launch["predicted"])
            axes.plot(groups, [1e3 * value for value in seconds], "-", color=colour, linewidth=1)
            axes.fill_between(groups, [1e3 * value for value in low], [1e3 * value for value in high], color=colour, alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("work-groups", fontsize=7)
    axes.set_ylabel("milliseconds", fontsize=7)
    axes.tick_params(labelsize=6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=6, frameon=False, loc="upper left")


def draw(data, picture):
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "skmd"  # the same picture from the same data
    import matplotlib.pyplot as plot
    panels = data["panels"]
    columns = min(COLUMNS, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure, grid = plot.subplots(rows, columns, figsize=(3.4 * columns, 2.7 * rows + 0.5), layout="constrained", squeeze=False)
    for axes, panel in zip(grid.flat, panels):
        draw_panel(axes, panel)
    for axes in grid.flat[len(panels):]:
        axes.set_axis_off()
    note = f"; {data['left_out']} more kernels and devices are not shown" if data["left_out"] else ""
    figure.suptitle(f"points: measured; lines: predicted; shaded: four times in five{note}", fontsize=8)
    part = f"{picture}.part-{os.getpid()}"
    try:
        figure.savefig(part, format="svg", metadata={"Date": None})
        os.replace(part, picture)
    finally:
        if os.path.exists(part):
            os.remove(part)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 1
    if matplotlib is None:
        print("draw_prediction.py: matplotlib is missing: install python3-matplotlib", file=sys.stderr)
        return NO_MATPLOTLIB
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            data = json.load(file)
        draw(data, sys.argv[2])
    except OSError as error:
        print(f"draw_prediction.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
