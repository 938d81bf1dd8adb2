# SPDX-License-Identifier: Apache-2.0
"""What a run exercised: features of its kernels, how many were split, which rungs of the merge ladder were taken, what was blamed on
PoCL. A run that exercised too little, or excused too much, proves nothing, so it fails."""
from collections import Counter

from model import SCALARS
from runner import ALL_MODES, ALONE, CRASH, MOVES, SLICED

FEATURES = ["1d", "2d", "3d", "offset", "odd_size", "barrier", "local_memory", "uniform_control", "divergent_control", "loop", "helper",
            "indirect", "wrapping", "strided_write", "scattered_write", "same_value_race", "alias", "sub_buffer", "atomic", "atomic_used",
            "atomic_local", "atomic64", "integer_builtin", *SCALARS, "vector2", "vector3", "vector4", "vector8", "vector16", "half", "struct",
            "switch", "early_return", "constant_memory", "program_constant", "local_argument", "null_local", "pragma",
            "pragma_macro", "option_macro", "units", "header_on_disk", "private_array"]
ATOMICS = [f"atomic_{name}" for name in ("add", "sub", "inc", "dec", "min", "max", "and", "or", "xor", "xchg", "cmpxchg")]
FEATURE_SHARE, ATOMIC_SHARE, SPLIT_SHARE = 0.05, 0.01, 0.8
# In profiling mode: the programs that had to be timed on every device, and how often each of them in the mean (four short spans on two devices).
PROFILED_SHARE, PROFILED_SAMPLES = 0.8, 8
MANY = 1000  # programs, of which a share of one in a hundred can be demanded
# Rungs of the merge ladder, each with the share of the programs of which it has to merge a buffer.
RUNGS = {"disjoint": 0.05, "kernel": 0.05, "diff": 0.05, "reduce": 0.05}
# Stops of a run with --preempt, for each program: stops, groups, kernels by form; groups that went on at a point that all items of a group leave at,
# and those whose items leave each by itself.
STOPS = {"stops": 3.4, "moved_groups": 1, "never_ran_groups": 1, "cut": 0.05, "group": 0.05, "item": 0.05, "saved_groups": 1, "resumed_items": 1,
         "resumed_groups": 1, "moved_inside": 0.3, "together": 0.2, "apart": 0.2}
# Groups that were stopped inside, of kernels with these features, and those that were stopped inside and went on on another device, for each program.
SAVED_OF = {"local_memory": 0.05, "private_array": 0.1, "divergent_control": 0.1, "helper": 0.1}
MOVED_INSIDE = {moves: 0.1 for moves in MOVES}
# Cases that PoCL may be excused for.
POCL_SHARE = {CRASH: 0.02, ALONE: 0.05, SLICED: 0.02}


class Tally:
    def __init__(self):
        self.cases, self.chains = 0, 0
        self.features = {}          # kernel: its features
        self.commands = Counter()   # of all cases, by kind
        self.split = set()          # kernels that were split at least once
        self.rungs = {}             # rung: kernels of which it merged a buffer
        self.merged = Counter()     # rung: buffers, in all launches
        self.launches = Counter()   # of the splitting modes: all, split
        self.reasons = Counter()    # why launches of kernels stayed whole in the splitting modes
        self.modes = Counter()      # cases
        self.pocl = Counter()       # kind of fault: cases
        self.verified = 0           # launches
        self.stops = Counter()      # of launches: how often they were stopped, the groups that were left, those that moved, kernels by form
        self.saved_of = Counter()   # feature: groups of such kernels that were stopped inside
        self.moved = Counter()      # from which device to which: groups of kernels that were stopped inside
        self.samples = Counter()    # kernel: times that profiling mode took of it
        self.profiled = set()       # kernels of which it took some on every device
        self.left_out = Counter()   # why it took none of a launch

    def add(self, made, verdict):
        self.pocl.update({kind for kind, *_ in verdict.pocl})
        if not verdict.ran:
            return
        self.cases += 1
        self.chains += made.chain
        self.features.update((kernel.name, kernel.features) for kernel in made.kernels)
        self.commands.update(command.kind for command in made.case.commands)
        for name, stats in verdict.stats.items():
            self.modes[name] += 1
            if stats is None:
                continue
            self.verified += stats["verify"]["launches"]
            if ALL_MODES[name].preempt:
                self.add_stops(stats, ALL_MODES[name].moves)
            elif ALL_MODES[name].splits:
                self.add_split(stats)

        for report in verdict.reports.values():
            self.add_report(report)

    def add_report(self, report):
        for kernel in (report or {}).get("kernels", []):
            self.samples[kernel["name"]] += sum(kernel["samples"])
            self.left_out.update(kernel["left_out"])
            if kernel["samples"] and min(kernel["samples"]) > 0:
                self.profiled.add(kernel["name"])

    def add_split(self, stats):
        for kernel in stats["kernels"]:
            self.launches.update(all=kernel["launches"], split=kernel["split_launches"])
            if kernel["split_launches"] > 0:
                self.split.add(kernel["name"])
            for rung, count in kernel["merge"].items():
                self.merged[rung] += count
                if count > 0:
                    self.rungs.setdefault(rung, set()).add(kernel["name"])
            self.reasons.update(kernel["not_split"])

    def add_stops(self, stats, moves):
        for kernel in stats["kernels"]:
            preempt = kernel["preempt"]
            resumed = preempt["resumed_groups"]
            self.stops.update({"stops": preempt["stops"], "never_ran_groups": preempt["never_ran_groups"],
                               "saved_groups": preempt["saved_groups"], "resumed_items": preempt["resumed_items"],
                               "moved_groups": sum(preempt["moved_groups"]), "moved_inside": sum(preempt["moved_inside"]), preempt["form"]: 1,
                               "resumed_groups": sum(resumed.values()), **resumed})
            for feature in SAVED_OF:
                if feature in self.features.get(kernel["name"], ()):
                    self.saved_of[feature] += preempt["saved_groups"]
            for what, count in zip(moves, preempt["moved_inside"]):
                self.moved[what] += count

    def with_feature(self, feature):
        return sum(feature in has for has in self.features.values())

    def plain(self):
        """Kernels that have to be split: those without an atomic whose result is used."""
        return {name for name, has in self.features.items() if "atomic_used" not in has}

    def record(self):
        """All of it, as JSON has it."""
        names = FEATURES + ATOMICS
        return {"programs": len(self.features), "cases": self.cases, "chains": self.chains, "split_programs": len(self.split),
                "without_used_atomics": len(self.plain()), "split_without_used_atomics": len(self.plain() & self.split),
                "rung_programs": {rung: len(self.rungs.get(rung, ())) for rung in RUNGS},
                "rung_buffers": {rung: self.merged[rung] for rung in RUNGS},
                "launches": dict(self.launches), "verified_launches": self.verified, "not_split": dict(self.reasons.most_common()),
                **self.record_of_profiling(),
                "pocl": {kind: self.pocl[kind] for kind in POCL_SHARE}, "modes": dict(self.modes), "stops": dict(self.stops),
                "saved_of": dict(self.saved_of), "moved_inside": dict(self.moved),
                "commands": dict(self.commands.most_common()),
                "features": {f: self.with_feature(f) for f in names}}

    def record_of_profiling(self):
        if not self.samples:
            return {}
        return {"profiled_programs": len(self.profiled), "samples": sum(self.samples.values()), "left_out": dict(self.left_out.most_common())}

    def report(self):
        record = self.record()
        programs = max(1, len(self.features))
        print("features: " + ", ".join(f"{f} {100 * c // programs}%" for f, c in record.pop("features").items()))
        for name, value in record.items():
            print(f"{name}: {', '.join(f'{k} {v}' for k, v in value.items()) if isinstance(value, dict) else value}")

    def too_few_stops(self):
        """What to complain of, of a run in which launches were to be stopped."""
        programs = len(self.features)
        demands = [(f"{what}", self.stops[what], share) for what, share in STOPS.items()]
        demands += [(f"saved groups of kernels with {feature}", self.saved_of[feature], share) for feature, share in SAVED_OF.items()]
        demands += [(f"groups that moved {moves} inside kernels", self.moved[moves], share) for moves, share in MOVED_INSIDE.items()]
        return [f"only {count} {what} of {programs} programs" for what, count, share in demands if count < share * programs]

    def too_little_profiled(self):
        """What to complain of in a run of profiling mode."""
        programs, samples = len(self.features), sum(self.samples.values())
        complaints = self.too_many_excuses()
        if len(self.profiled) < PROFILED_SHARE * programs:
            complaints.append(f"only {len(self.profiled)} of {programs} programs were profiled on every device")
        if samples < PROFILED_SAMPLES * programs:
            complaints.append(f"profiling mode took only {samples} times of {programs} programs")
        return complaints

    def too_many_excuses(self):
        return [f"PoCL was excused in {self.pocl[kind]} of {self.cases} cases: {kind}" for kind, share in POCL_SHARE.items()
                if self.pocl[kind] > 1 + share * self.cases]

    def too_little(self):
        """What to complain of."""
        programs, complaints, plain = len(self.features), [], self.plain()
        shares = {feature: FEATURE_SHARE for feature in FEATURES} | {name: ATOMIC_SHARE for name in ATOMICS if programs >= MANY}
        for feature, share in shares.items():
            count = self.with_feature(feature)
            if count < share * programs:
                complaints.append(f"only {count} of {programs} programs have {feature}")
        if len(plain & self.split) < SPLIT_SHARE * len(plain):
            complaints.append(f"only {len(plain & self.split)} of {len(plain)} programs without used atomics were split")
        for rung, share in RUNGS.items():
            if len(self.rungs.get(rung, ())) < share * programs:
                complaints.append(f"rung {rung} was reached by only {len(self.rungs.get(rung, ()))} of {programs} programs")
        complaints += self.too_many_excuses()
        if self.verified == 0:
            complaints.append("no launch was verified")
        if self.chains == 0:
            complaints.append("no chain ran")
        return complaints
