# SPDX-License-Identifier: Apache-2.0
"""What a run exercised: features of its kernels, how many were split, which rungs of the merge ladder were taken. A run that
exercised too little proves nothing, so it fails."""
from model import SCALARS
from runner import MODES

FEATURES = ["1d", "2d", "3d", "offset", "odd_size", "barrier", "local_memory", "uniform_control", "divergent_control", "loop", "helper",
            "indirect", "wrapping", "strided_write", "scattered_write", "same_value_race", "alias", "sub_buffer", "atomic", "atomic_used",
            "atomic_local", "integer_builtin", *SCALARS, "vector2", "vector4", "vector8", "vector16"]
# Rungs of the merge ladder, each with the share of the programs that have to reach it.
RUNGS = {"disjoint": 0.05, "kernel": 0.05, "diff": 0.05, "reduce": 0.05}
FEATURE_SHARE, SPLIT_SHARE, POCL_SHARE = 0.05, 0.8, 0.05


class Tally:
    def __init__(self):
        self.features = {}  # kernel: its features
        self.split = set()  # kernels that were split at least once
        self.rungs = {}     # rung: kernels of which it merged a buffer
        self.reasons = {}   # why launches of kernels stayed whole in the splitting modes: counts
        self.verified = 0   # launches

    def add(self, made, verdict):
        self.features.update((kernel.name, kernel.features) for kernel in made.kernels)
        for name, stats in verdict.stats.items():
            if stats is None:
                continue
            self.verified += stats["verify"]["launches"]
            if MODES[name].splits:
                self.add_split(stats)

    def add_split(self, stats):
        for kernel in stats["kernels"]:
            if kernel["split_launches"] > 0:
                self.split.add(kernel["name"])
            for rung, count in kernel["merge"].items():
                if count > 0:
                    self.rungs.setdefault(rung, set()).add(kernel["name"])
            for reason, count in kernel["not_split"].items():
                self.reasons[reason] = self.reasons.get(reason, 0) + count

    def report(self):
        programs = len(self.features)
        counts = {f: sum(f in has for has in self.features.values()) for f in FEATURES}
        print("features: " + ", ".join(f"{f} {100 * c // max(1, programs)}%" for f, c in counts.items()))
        print(f"rungs, in programs: { {rung: len(kernels) for rung, kernels in self.rungs.items()} }; launches whole for {self.reasons}; "
              f"{self.verified} launches verified")

    def too_little(self):
        """What to complain of."""
        programs, complaints = len(self.features), []
        for feature in FEATURES:
            count = sum(feature in has for has in self.features.values())
            if count < FEATURE_SHARE * programs:
                complaints.append(f"only {count} of {programs} programs have {feature}")
        plain = {name for name, has in self.features.items() if "atomic_used" not in has}
        if len(plain & self.split) < SPLIT_SHARE * len(plain):
            complaints.append(f"only {len(plain & self.split)} of {len(plain)} programs without used atomics were split")
        for rung, share in RUNGS.items():
            if len(self.rungs.get(rung, ())) < share * programs:
                complaints.append(f"rung {rung} was reached by only {len(self.rungs.get(rung, ()))} of {programs} programs")
        if self.verified == 0:
            complaints.append("no launch was verified")
        return complaints
