#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws one launch of an SKMD_TRACE file: which device ran which groups when, what moved over its link, what was merged.

    draw_timeline.py TRACE PICTURE [--kernel NAME] [--launch NUMBER]

Without a choice it is a launch with most slices, the last of its kernel, since drivers compile during the first. What lies between the
launch before and the launch after it is in the picture, since its bytes move then."""
import argparse
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plot  # noqa: E402

COLOURS = {"slice": "#3b6ea5", "transfer": "#d08b2c", "merge": "#6a9a4a"}
LABELS = {"slice": "work-groups", "transfer": "bytes moved", "merge": "merge"}


def read_trace(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)
    names = {event["tid"]: event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "thread_name"}
    return names, [event for event in events if event["ph"] == "X"]


def choose(events, kernel, number):
    launches = {}
    for event in events:
        if event["cat"] == "slice" and kernel in (None, event["name"]):
            launches.setdefault(event["args"]["launch"], []).append(event)
    if number is not None:
        launches = {key: slices for key, slices in launches.items() if key == number}
    if not launches:
        return None, None
    key = max(launches, key=lambda k: (len(launches[k]), k))
    return key, launches[key]


def window(events, launch, slices):
    """Events from the end of the launch before to the start of the launch after."""
    first, last = min(e["ts"] for e in slices), max(e["ts"] + e["dur"] for e in slices)
    others = [e for e in events if e["cat"] == "slice" and e["args"]["launch"] != launch]
    begin = max((e["ts"] + e["dur"] for e in others if e["ts"] + e["dur"] <= first), default=float("-inf"))
    end = min((e["ts"] for e in others if e["ts"] >= last), default=float("inf"))
    inside = [e for e in events if e["cat"] != "slice" and e["ts"] >= begin and e["ts"] + e["dur"] <= end]
    # What was read before belongs to the launch before, what is written after to the next.
    return slices + [e for e in inside if e["cat"] == "merge" or e["ts"] < last and e["args"]["bytes_to"] > 0
                     or e["ts"] >= first and e["args"]["bytes_from"] > 0]


def size_text(count):
    for unit in ("B", "KB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.3g} {unit}"
        count /= 1000
    return ""


def label_of(event):
    arguments = event["args"]
    if event["cat"] == "slice":
        return f"{event['name']}: work-groups {arguments['first_group']} to {arguments['last_group'] - 1}"
    if event["cat"] == "transfer":
        moved = [f"{size_text(arguments[key])} {way}" for key, way in (("bytes_to", "to it"), ("bytes_from", "from it"))
                 if arguments[key]]
        return ", ".join(moved)
    return f"{arguments['rung']}, {size_text(arguments['bytes'])}"


def draw(names, events, picture):
    begin = min(event["ts"] for event in events)
    end = max(event["ts"] + event["dur"] for event in events)
    tracks = sorted(track for track in names if track != 1000 or any(event["tid"] == 1000 for event in events))
    figure, axes = plot.subplots(figsize=(10, 0.55 * len(tracks) + 1.0), layout="constrained")
    for event in events:
        row = tracks.index(event["tid"])
        start, width = (event["ts"] - begin) / 1000, max(event["dur"], (end - begin) * 0.003) / 1000
        axes.barh(row, width, left=start, height=0.62, color=COLOURS[event["cat"]])
        if event["dur"] > (end - begin) * 0.3:
            axes.text(start + width / 2, row, label_of(event), ha="center", va="center", fontsize=8, color="white")
        elif event["dur"] > (end - begin) * 0.02:
            axes.text(start + width / 2, row - 0.42, label_of(event), ha="center", va="bottom", fontsize=6.5)
    axes.set_yticks(range(len(tracks)), [names[track] for track in tracks], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("milliseconds")
    axes.spines[["top", "right"]].set_visible(False)
    kinds = [kind for kind in COLOURS if any(event["cat"] == kind for event in events)]
    handles = [plot.Rectangle((0, 0), 1, 1, color=COLOURS[kind]) for kind in kinds]
    axes.legend(handles, [LABELS[kind] for kind in kinds], fontsize=8, frameon=False, ncols=3, loc="lower center",
                bbox_to_anchor=(0.5, 1.0))
    figure.savefig(picture, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace")
    parser.add_argument("picture")
    parser.add_argument("--kernel")
    parser.add_argument("--launch", type=int)
    options = parser.parse_args()
    names, events = read_trace(options.trace)
    launch, slices = choose(events, options.kernel, options.launch)
    if not slices:
        print(f"{options.trace}: no such launch", file=sys.stderr)
        return 1
    draw(names, window(events, launch, slices), options.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
