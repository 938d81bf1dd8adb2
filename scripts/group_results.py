# SPDX-License-Identifier: Apache-2.0
"""What a work-group took at each size of a profile: the table of docs/results/prediction.md that shows why spans are predicted wrong. For redraw_results.py."""
import json
import math
import statistics

from prediction_results import percent

MISSED = 0.1  # in the median, by the goal
LONG = 3      # of a launch's spans the longest third are looked at: of short ones other things than groups decide
ALIKE = 1.25  # numbers of groups that differ by no more than so many times, as those of two profiled spans in a row do


def longest(spans):
    """`spans`: pairs of groups and ns."""
    return sorted(spans)[-max(1, len(spans) // LONG):]


def nanoseconds_of(spans):
    """Tenth percentile, median and ninetieth of a group's time, in ns."""
    each = sorted(nanoseconds / groups for groups, nanoseconds in spans)
    return [each[len(each) // 10], statistics.median(each), each[-1 - len(each) // 10]]


def against(small, real):
    """How many times as long an operation takes in the longest spans of a small launch as in spans of the real one of as many groups, and how many those are."""
    spans = longest(small["spans"])
    alike = [span for span in real["spans"] if spans[0][0] / ALIKE <= span[0] <= spans[-1][0] * ALIKE]
    if not alike or not small["operations"] or not real["operations"]:
        return {"times": None, "spans": len(alike)}
    times = nanoseconds_of(spans)[1] / small["operations"] / (nanoseconds_of(alike)[1] / real["operations"])
    return {"times": float(f"{times:.4g}"), "spans": len(alike)}


def groups_of(sample):
    return math.prod(extent // local for extent, local in zip(sample["global"], sample["local"]))


def launches_of(samples, tags):
    """Of each kernel on each device the largest launch of each tag."""
    spans = {}
    for sample in samples:
        if sample["tag"] in tags and not sample["first_use"] and sample["kernel_ns"] > 0:
            key = (sample["kernel"], sample["device"], sample["tag"])
            spans.setdefault(key, {}).setdefault(groups_of(sample), []).append(sample)
    launches = {}
    for (kernel, device, tag), sizes in spans.items():
        groups, largest = max(sizes.items())
        launches.setdefault((kernel, device), {})[tag] = {"groups": groups, "operations": largest[0]["group_operations"],
                                                          "spans": [(one["last"] - one["first"], one["kernel_ns"]) for one in largest]}
    return launches


def told(launches, tags):
    """Of one kernel on one device; the last tag is the real size."""
    real = launches.get(tags[-1])
    return {tag: {"groups": launch["groups"], "operations": launch["operations"], "longest_ms": float(f"{max(ns for _, ns in launch['spans']) * 1e-6:.4g}"),
                  "ns": [float(f"{value:.4g}") for value in nanoseconds_of(longest(launch["spans"]))],
                  "against_real": against(launch, real) if real and tag != tags[-1] else None} for tag, launch in launches.items()}


def collect(out, profile, evaluated, own, tags, text):
    """One raw file. `evaluated`: what `skmd-profile --json evaluate` answered by the smaller sizes, `own`: by the real one itself."""
    def medians(path):
        with open(path, encoding="utf-8") as file:
            return {(kernel["name"], kernel["device"]): kernel["median"] for kernel in json.load(file)["kernels"]}

    with open(profile, encoding="utf-8") as file:
        samples = [line for line in map(json.loads, file) if "kernel_ns" in line]
    predicted, fitted, order = medians(evaluated), medians(own), tags.split(",")
    kernels = [{"name": name, "device": device, "median": predicted[name, device], "own_median": fitted.get((name, device)), "launches": told(launches, order)}
               for (name, device), launches in sorted(launches_of(samples, order).items()) if (name, device) in predicted]
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"origin": text, "tags": order, "kernels": kernels}, file, indent=1)
        file.write("\n")


def spread(ns):
    return f"{ns[1]:,.4g} ({100 * (ns[0] / ns[1] - 1):+.0f} to {100 * (ns[2] / ns[1] - 1):+.0f} %)"


def misses(raws):
    """Kernels that are missed by more than the goal, worst first."""
    lines = []
    for raw in raws.values():
        tags = raw["tags"]
        if not lines:
            lines.append("| kernel, device | missed by, median | a model of the real spans themselves | longest span, ms: " + " / ".join(tags) + " | "
                         + " | ".join(f"a group, ns: {tag}" for tag in tags) + " | against as many groups of the real launch, for an operation: "
                         + " / ".join(tags[:-1]) + " |\n|"
                         + " --- |" * (len(tags) + 5) + "\n")
        for kernel in sorted(raw["kernels"], key=lambda one: -one["median"]):
            found = [kernel["launches"][tag] for tag in tags if tag in kernel["launches"]]
            if kernel["median"] <= MISSED or len(found) != len(tags):
                continue
            ratios = [f"{one['against_real']['times']:.2f}" if one["against_real"]["times"] else "-" for one in found[:-1]]
            own = percent(kernel["own_median"]) if kernel["own_median"] is not None else "-"
            cells = [f"`{kernel['name']}`, {kernel['device']}", percent(kernel["median"]), own, " / ".join(f"{one['longest_ms']:.3g}" for one in found),
                     *(spread(one["ns"]) for one in found), " / ".join(ratios)]
            lines.append(f"| {' | '.join(cells)} |\n")
    return "".join(lines)


def origins(raws):
    return "".join(f"- `{name}`: {raw['origin']}\n" for name, raw in raws.items())


TABLES = {"group_misses": misses, "group_origins": origins}
