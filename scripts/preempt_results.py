# SPDX-License-Identifier: Apache-2.0
"""Tables of what bench/scripts/preempt.py measured, for redraw_results.py."""
import statistics

from tables import markdown

VERDICTS = {True: "yes", False: "**no**", None: "-"}


def preempt_machine(raw):
    """Where and by which command."""
    machine = raw["machine"]
    devices = ", ".join(sorted({device["name"] for device in machine["devices"]}))
    return f"{machine['cores']} cores ({machine['processor']}), {devices}; {machine['date']}, {raw['origin']}, `{raw['command']}`\n"


def preempt_stops(raw):
    """From a stop's request until the device is free."""
    def cells(row):
        times = row["stop_us"]
        reasons = ", ".join(row["why_not"])
        return [row["workload"], f"`{row['kernel']}`", row["mode"], row["form"] + (f" ({reasons})" if reasons else ""), f"{row['milliseconds']:g}", str(row["stops"]), str(row["saved_groups"]),
                str(row["state_bytes"]), *(f"{times[key]:.0f}" if row["stops"] else "-" for key in ("p50", "p99", "max")),
                f"{row['goal_us']:.0f}" if row["goal_us"] else "-", VERDICTS[row["met"]]]
    return markdown(["workload", "kernel", "`SKMD_PREEMPT`", "form (not in it)", "ms", "stops", "groups saved", "largest state of a group, bytes", "p50, us", "p99, us", "max, us", "p99 at most",
                     "met"], [cells(row) for row in raw.get("stops", [])])


def preempt_forms(raw):
    """Per workload: medians of processes without and with each form, and their ratios."""
    def milliseconds(values):
        return " ".join(f"{value * 1e3:.2f}" for value in values) or "-"

    def cells(row):
        line = [row["workload"], milliseconds(row["seconds"]["off"])]
        for mode, forms in row["forms"].items():
            line += [", ".join(forms) or "none", milliseconds(row["seconds"][mode]), f"{row['ratios'][mode]:.3f}" if mode in row["ratios"] else "-"]
        return line
    return markdown(["workload", "off, ms", "auto", "ms", "ratio", "item", "ms", "ratio"], [cells(row) for row in raw.get("forms", [])])


def preempt_goals(raw):
    """Means of the forms' ratios, and launches beside a long one, with their goals."""
    rows = [[f"`SKMD_PREEMPT={row['mode']}` over `off`, {row['workloads']} workloads", f"mean {row['geomean_at_most']:g}, each {row['each_at_most']:g}",
             f"{row['geomean']:.3f}; {row['worst'][0]} {row['worst'][1]:.3f}", VERDICTS[row["met"]]] for row in raw.get("form_goals", [])]
    for row in raw.get("beside", []):
        rows.append([f"a small launch beside one of two seconds, `SKMD_PREEMPT={row['mode']}`", f"{row['goal_us'] / 1e3:g} ms" if row["goal_us"] else "-",
                     f"{statistics.median(row['us']) / 1e3:.2f} ms", VERDICTS[row["met"]]])
    return markdown(["what", "at most", "figure", "met"], rows)


def preempt_programs(raw):
    """What build/bench/preempt printed."""
    def told(command, answer):
        if "stop_us" in answer:
            stops = [[f"`{command}`: from a stop's request, {form}", f"p50 {times['p50']:.0f}, p99 {times['p99']:.0f}, max {times['max']:.0f} us, {times['stops']} stops"]
                     for form, times in answer["stop_us"].items()]
            return stops + [[f"`{command}`: a small launch beside a long one", "{on_us:.0f} us; {off_us:.0f} us with `SKMD_PREEMPT=off`".format(**answer["small_beside_long"])]]
        if "equal" in answer:
            return [[f"`{command}`", f"equal: {answer['equal']}, stopped inside: {answer['in_kernel']}, {answer['bytes']} bytes in {answer['seconds'] * 1e3:.1f} ms, "
                                     f"refused {answer['refused']}".lower()]]
        return [[f"`{command}`: {form}, {len(answer[form]['workloads'])} workloads", f"mean {answer[form]['geomean']:.3f}, worst {answer[form]['worst'][0]} {answer[form]['worst'][1]:.3f}"]
                for form in ("cut", "item") if answer.get(form, {}).get("worst")]
    return markdown(["command", "figures"], [row for command, answer in raw.get("programs", {}).items() for row in told(command, answer)])


KINDS = {"preempt_machine": preempt_machine, "preempt_stops": preempt_stops, "preempt_forms": preempt_forms, "preempt_goals": preempt_goals,
         "preempt_programs": preempt_programs}
