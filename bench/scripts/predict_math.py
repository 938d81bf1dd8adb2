# SPDX-License-Identifier: Apache-2.0
"""What predict.py makes of measured times: medians, ratios, verdicts. Pure: no process, file, clock or environment.

Times are seconds. A *process* is the list of its repetitions' times in order; a *side* is what is compared, and has one process for each turn."""
import math
import statistics


def geometric_mean(values):
    """Of numbers that are not negative; None of none."""
    values = list(values)
    if not values or min(values) <= 0:
        return 0.0 if values else None
    return math.exp(statistics.fmean(math.log(value) for value in values))


def medians(processes, first=1, last=None):
    """Of each process the median from its repetition `first` (counted from 1) to `last`, both included; processes that have none are left out."""
    parts = (process[first - 1:last] for process in processes)
    return [statistics.median(part) for part in parts if part]


# Of the machine's processors, the part of their time that other programs may take while a process is measured; and how many processes are
# compared at least, the least disturbed ones, where there are fewer such.
DISTURBED = 0.05
FEWEST = 3
# Turns from which on the fastest of several sides is chosen by the other half of them.
FEWEST_HALVED = 4


def disturbed_part(sides):
    """What part of all processes other programs disturbed; None where it is not known of any."""
    others = [part for side in sides for part in side.get("others", [])]
    return sum(part > DISTURBED for part in others) / len(others) if others else None


def undisturbed(processes, others):
    """The processes that count: `others` has for each what part of the processors' time other programs took meanwhile, which says nothing of how long the
    process itself took."""
    if len(others) != len(processes):
        return processes
    order = sorted(range(len(processes)), key=lambda i: others[i])
    quiet = [i for i in order if others[i] <= DISTURBED]
    return [processes[i] for i in sorted(quiet if len(quiet) >= FEWEST else order[:FEWEST])]


def settled(repetitions):
    """The first repetition of the later half."""
    return repetitions // 2 + 1


def middle(processes, first=1, last=None):
    """The median over the processes of their medians; None of none."""
    each = medians(processes, first, last)
    return statistics.median(each) if each else None


def fastest(sides, first=1, last=None):
    """(name, seconds) of the side of {name: processes} whose middle is least; None where no side has one."""
    known = [(middle(processes, first, last), name) for name, processes in sides.items()]
    known = [(seconds, name) for seconds, name in known if seconds is not None]
    if not known:
        return None
    seconds, name = min(known)
    return name, seconds


def ratio(mine, theirs):
    """How many times as fast the first processes are, by their medians: the median of the turns' ratios, since a turn's processes meet the same state of
    the machine; where one side has fewer processes, the ratio of medians."""
    if len(mine) == len(theirs):
        return statistics.median(b / a for a, b in zip(mine, theirs))
    return statistics.median(theirs) / statistics.median(mine)


def compare(ours, base, first=1, last=None):
    """How many times as fast `ours` is as `base`, with the least and the greatest ratio of single processes, taken in order; None where one has no times."""
    mine, theirs = medians(ours, first, last), medians(base, first, last)
    if not mine or not theirs:
        return None
    turns = [b / a for a, b in zip(mine, theirs)]
    seconds, base_seconds = statistics.median(mine), statistics.median(theirs)
    return {"figure": ratio(mine, theirs), "spread": [min(turns), max(turns)], "seconds": seconds, "seconds_spread": [min(mine), max(mine)],
            "base_seconds": base_seconds, "base_spread": [min(theirs), max(theirs)], "turns": len(turns)}


def against_fastest(ours, sides, first=1, last=None):
    """(name, comparison as of compare()) with the fastest of {name: processes}; None where one has no times.

    The least of several noisy medians is less than what any of the sides takes. So each half of the turns is compared with the side that is the fastest
    in the other half, and the figure is the mean of the two, where all sides have FEWEST_HALVED turns."""
    best = fastest(sides, first, last)
    found = compare(ours, sides[best[0]], first, last) if best else None
    if found is None:
        return None
    turns = len(ours)
    measured = {name: processes for name, processes in sides.items() if len(processes) == turns}
    if turns >= FEWEST_HALVED and best[0] in measured:
        parts = []
        for half in (0, 1):
            chosen = fastest({name: processes[1 - half::2] for name, processes in measured.items()}, first, last)
            part = compare(ours[half::2], measured[chosen[0]][half::2], first, last) if chosen else None
            if part:
                parts.append(part["figure"])
        if len(parts) == 2:
            found["figure"] = geometric_mean(parts)
    return best[0], found


def is_met(entry, goal, launches=1):
    """Whether a compared workload keeps a goal: at_least as a ratio, or no more than its allowances in seconds behind. None without such a goal."""
    if "each_at_least" not in goal:
        return None
    allowed = max(goal.get("or_seconds_each", 0.0), goal.get("or_seconds_a_launch", 0.0) * launches)
    return entry["figure"] >= goal["each_at_least"] or entry["seconds"] * (1 - entry["figure"]) <= allowed


def verdict(entries, goal, complete=True):
    """(geometric mean, met) of a row. `met` is None where there is no goal, and False where something of the row is missing."""
    mean = geometric_mean(entry["figure"] for entry in entries)
    if not goal:
        return mean, None
    if not entries or not complete:
        return mean, False
    return mean, all(entry.get("met") is not False for entry in entries) and mean >= goal.get("geometric_mean_at_least", 0.0)
