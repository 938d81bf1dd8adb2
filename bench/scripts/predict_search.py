# SPDX-License-Identifier: Apache-2.0
"""In which order splits of a launch are tried, until no small change of the best one is better. Pure.

A split is a tuple of whole percentages, one for each device, 100 in sum, as of SKMD_PARTITION=fixed:…."""


def grid(devices, step):
    """All splits in so many percent; `step` divides 100."""
    if devices == 1:
        return [(100,)]

    def rest(count, left):
        if count == 1:
            return [(left,)]
        return [(part, *more) for part in range(0, left + 1, step) for more in rest(count - 1, left - part)]

    return rest(devices, 100)


def rounded(shares, step=1):
    """The nearest split in so many percent to the numbers of work-groups (or other shares) of devices; equal parts of none."""
    total = sum(shares)
    if total <= 0:
        return rounded([1] * len(shares), step)
    exact = [100 / step * share / total for share in shares]
    parts = [int(part) for part in exact]
    by_loss = sorted(range(len(shares)), key=lambda i: (parts[i] - exact[i], i))
    for i in by_loss[:100 // step - sum(parts)]:
        parts[i] += 1
    return tuple(step * part for part in parts)


def shared(split, device, change):
    """The split in which a device has `change` percent more (or less), which the others give (or get) in proportion to what they have."""
    others = [part for i, part in enumerate(split) if i != device]
    has = split[device] + change
    if not others or not 0 <= has <= 100:
        return split
    whole = rounded([part * (100 - has) for part in others] if sum(others) else [1] * len(others))
    parts = [part * (100 - has) // 100 for part in whole]
    for i in sorted(range(len(parts)), key=lambda i: -others[i])[:100 - has - sum(parts)]:
        parts[i] += 1
    return (*parts[:device], has, *parts[device:])


def neighbours(split, step):
    """Splits in which one device gives the others `step` percent, or gets them from the others, in proportion; then those in which one gives one other
    so much, or all that it has where that is less. The first kind matters: a launch ends with its slowest slice, so that of equally slow ones all
    have to give."""
    found = [shared(split, device, change) for device in range(len(split)) for change in (step, -min(step, split[device]))]
    for giver, has in enumerate(split):
        for taker in range(len(split)):
            given = min(step, has)
            if giver != taker:
                changed = list(split)
                changed[giver] -= given
                changed[taker] += given
                found.append(tuple(changed))
    return [other for other in dict.fromkeys(found) if other != split]


def best(known):
    """The split of {split: seconds} that takes least, None of none; among equals the first in order."""
    return min(known, key=lambda split: (known[split], split), default=None)


class Search:
    """Tries `starts`, then small changes of the best split, each of `steps` percent until none is better; never a split twice. What was tried is in
    `known`, {split: seconds}; infinite where a split did not work."""

    def __init__(self, starts, steps):
        self.waiting = list(dict.fromkeys(starts))
        self.steps = list(steps)
        self.known, self.around = {}, None

    def next(self):
        """The split to try next; None at the end."""
        while True:
            while self.waiting:
                split = self.waiting.pop(0)
                if split not in self.known:
                    return split
            middle = best(self.known)
            if middle is None or not self.steps:
                return None
            if self.around == middle:  # all its neighbours are known
                self.steps.pop(0)
                self.around = None
            elif self.steps:
                self.around = middle
            if self.steps:
                self.waiting = neighbours(middle, self.steps[0])

    def tell(self, split, seconds):
        """What the last split took. A change that was for the better is made once more."""
        middle = best(self.known)
        better = middle is not None and seconds < self.known[middle]
        self.known[split] = seconds
        if better and self.around is not None:
            again = tuple(2 * new - old for new, old in zip(split, self.around))
            self.around = None
            self.waiting = ([again] if min(again) >= 0 else []) + neighbours(split, self.steps[0])


def word(split):
    return "fixed:" + ",".join(str(part) for part in split)
