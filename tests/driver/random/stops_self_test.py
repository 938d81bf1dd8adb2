#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a run with stops has to reach, and in which modes its cases run."""
import unittest

from runner import ALL_MODES, MOVES, PREEMPT_MODES, modes_of
from tally import SAVED_OF, Tally


class DemandsOnStops(unittest.TestCase):
    """A run with stops proves something only where groups went on inside of kernels, of every kind and in every direction."""

    def tally(self, programs=300, saved=10, moved=(10, 10), features=tuple(SAVED_OF), modes=("preempt_to_basic", "preempt_from_pthread", "preempt_two_codes")):
        tally = Tally()
        tally.features = {f"k{i}": set(features) for i in range(programs)}
        for mode in modes:
            for form in ("cut", "group", "item"):
                preempt = {"form": form, "stops": 4, "saved_groups": saved, "resumed_items": saved * 8, "resumed_groups": {"together": saved // 2, "apart": saved - saved // 2},
                           "never_ran_groups": 3, "moved_groups": [0, 3], "moved_inside": list(moved) if saved else [0, 0]}
                tally.add_stops({"kernels": [{"name": f"k{i}", "preempt": preempt} for i in range(programs)]}, ALL_MODES[mode].moves)
        return tally

    def test_a_run_with_all_of_them_is_enough(self):
        tally = self.tally()
        self.assertEqual(tally.too_few_stops(), [])
        self.assertEqual(tally.stops["resumed_groups"], 300 * 9 * 10)
        one = 300 * 3 * 10
        self.assertEqual(tally.record()["moved_inside"], {"pocl_to_cpu": 2 * one, "cpu_to_pocl": 2 * one, "sse_to_best": one, "best_to_sse": one})

    def test_what_no_stopped_kernel_has_is_missed(self):
        self.assertEqual(self.tally(features=list(SAVED_OF)[1:]).too_few_stops(), [f"only 0 saved groups of kernels with {list(SAVED_OF)[0]} of 300 programs"])

    def test_a_direction_in_which_nothing_moved_is_missed(self):
        self.assertEqual(self.tally(modes=("preempt_to_pthread", "preempt_from_basic")).too_few_stops(),
                         [f"only 0 groups that moved {moves} inside kernels of 300 programs" for moves in ("sse_to_best", "best_to_sse")])

    def test_groups_that_were_not_stopped_inside_do_not_count_as_moved_inside(self):
        self.assertEqual(len(self.tally(saved=0).too_few_stops()), 6 + len(SAVED_OF) + len(MOVES))

    def test_a_case_runs_in_a_mode_that_moves_groups_inside_and_in_another(self):
        seen = set()
        for seed in range(60):
            other, moves = modes_of(seed, preempt=True)
            self.assertEqual((PREEMPT_MODES[other].group, PREEMPT_MODES[moves].group), ("", "moves"))
            seen |= {other, moves}
        self.assertEqual(seen, set(PREEMPT_MODES))


if __name__ == "__main__":
    unittest.main()
