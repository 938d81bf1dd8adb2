#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench_predict_test.py SOURCE: what scripts/bench-predict.sh makes of measured times, and in which order it searches. Times are made up."""
import json
import os
import sys
import tempfile
import unittest

SOURCE = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, os.path.join(SOURCE, "bench", "scripts"))
import predict  # noqa: E402
import predict_bounds  # noqa: E402
import predict_load  # noqa: E402
import predict_math  # noqa: E402
import predict_rows  # noqa: E402
import predict_search  # noqa: E402
import predict_served  # noqa: E402
from predict_rows import NONE, ONE, WARM  # noqa: E402


def unit(workload="w", size="paper", memory="pageable", **sides):
    """Sides as name=(kind, processes); names of `auto` as warm, none and one."""
    names = {"warm": WARM, "none": NONE, "one": ONE}
    return {"workload": workload, "size": size, "memory": memory,
            "sides": {names.get(name, name): {"kind": kind, "processes": processes} for name, (kind, processes) in sides.items()}}


def rows(units, gpus=2, table=None):
    return {row["row"]: row for row in predict_rows.rows_of(table or predict_rows.ROWS, units, gpus)}


class Statistics(unittest.TestCase):
    def test_middle_takes_medians_of_repetitions_then_of_processes(self):
        self.assertEqual(predict_math.middle([[9, 1, 2, 3], [9, 5, 5, 5], [9, 4, 4, 90]], first=2), 4)
        self.assertEqual(predict_math.middle([[7, 1], [9, 1]], first=1, last=1), 8)
        self.assertIsNone(predict_math.middle([[1], []], first=2))

    def test_processes_count_that_no_other_program_disturbed(self):
        self.assertEqual(predict_math.undisturbed([[1], [2], [3], [4]], [0.0, 0.5, 0.05, 0.01]), [[1], [3], [4]])
        self.assertEqual(predict_math.undisturbed([[1], [2], [3], [4]], [0.9, 0.5, 0.3, 0.01]), [[2], [3], [4]])  # three at least
        self.assertEqual(predict_math.undisturbed([[1], [2]], []), [[1], [2]])  # it is not known

    def test_the_disturbed_part_is_counted(self):
        self.assertEqual(predict_math.disturbed_part([{"others": [0.0, 0.5]}, {"others": [0.5, 0.06]}, {}]), 0.75)
        self.assertIsNone(predict_math.disturbed_part([{}]))

    def test_rows_compare_such_processes_only(self):
        measured = unit(warm=("auto", [[1], [1], [1], [9]]), gpu=("device", [[2], [2], [2], [2]]))
        measured["sides"][WARM]["others"] = [0.0, 0.0, 0.0, 0.5]
        self.assertEqual(rows([measured])["best_device"]["entries"][0]["spread"], [2, 2])

    def test_a_turn_counts_for_all_sides_or_for_none(self):
        measured = unit(warm=("auto", [[1], [2], [3], [4]]), gpu=("device", [[2], [4], [6], [80]]))
        measured["sides"][WARM]["others"] = [0.0, 0.0, 0.0, 0.0]
        measured["sides"]["gpu"]["others"] = [0.0, 0.0, 0.0, 0.5]
        entry = rows([measured])["best_device"]["entries"][0]
        self.assertEqual((entry["spread"], entry["turns"]), ([2, 2], 3))

    def test_rows_of_repetitions_are_about_as_long(self):
        self.assertEqual([predict_served.blocks(count) for count in (30, 7, 2, 0)], [[10, 10, 10], [2, 2, 3], [1, 1], []])

    def test_settled_is_the_later_half(self):
        self.assertEqual([predict_math.settled(count) for count in (12, 13)], [7, 7])

    def test_geometric_mean(self):
        self.assertAlmostEqual(predict_math.geometric_mean([1, 4]), 2)
        self.assertEqual(predict_math.geometric_mean([0, 4]), 0)
        self.assertIsNone(predict_math.geometric_mean([]))

    def test_fastest_leaves_out_what_has_no_times(self):
        self.assertEqual(predict_math.fastest({"a": [[3]], "b": [[2]], "c": []}), ("b", 2))
        self.assertIsNone(predict_math.fastest({"c": []}))

    def test_ratios_have_the_spread_of_the_turns(self):
        found = predict_math.compare([[1, 2], [1, 4]], [[1, 4], [1, 4]], first=2)
        self.assertEqual((found["figure"], found["spread"], found["turns"]), (1.5, [1, 2], 2))
        self.assertIsNone(predict_math.compare([], [[1]]))

    def test_the_median_of_the_turns_counts(self):
        # The machine is slower in the second turn, for both alike.
        self.assertEqual(predict_math.compare([[1], [10], [1]], [[2], [20], [2]])["figure"], 2)
        self.assertEqual(predict_math.compare([[1], [2], [3]], [[2], [8]])["figure"], 2.5)  # ratio of medians: no pairs

    def test_the_fastest_side_is_not_chosen_by_the_turns_that_it_is_compared_in(self):
        # Two sides that take the same in the mean, and each is lucky in half of the turns.
        sides = {"a": [[1], [4], [1], [4]], "b": [[4], [1], [4], [1]]}
        name, found = predict_math.against_fastest([[2], [2], [2], [2]], sides)
        self.assertEqual((found["figure"], found["turns"]), (2, 4))  # by the same turns it would be 0.5
        self.assertIn(name, sides)
        # Fewer turns, or sides without some of them, are compared as they are.
        self.assertEqual(predict_math.against_fastest([[2]], {"a": [[1]], "b": [[4]]})[1]["figure"], 0.5)
        self.assertEqual(predict_math.against_fastest([[2]] * 4, {"a": [[1]] * 4, "b": [[4]]})[1]["figure"], 0.5)
        self.assertIsNone(predict_math.against_fastest([], sides))

    def test_a_goal_lets_microseconds_pass_for_each_launch(self):
        entry = {"figure": 0.5, "seconds": 100e-6}
        self.assertIs(predict_math.is_met(entry, {"each_at_least": 0.5}), True)
        self.assertIs(predict_math.is_met(entry, {"each_at_least": 0.97, "or_seconds_a_launch": 10e-6}, 4), False)
        self.assertIs(predict_math.is_met(entry, {"each_at_least": 0.97, "or_seconds_a_launch": 10e-6}, 6), True)
        self.assertIsNone(predict_math.is_met(entry, {"geometric_mean_at_least": 2}))

    def test_a_row_is_met_by_all_its_parts_and_its_mean(self):
        entries = [{"figure": 1.0, "met": True}, {"figure": 4.0, "met": True}]
        self.assertEqual(predict_math.verdict(entries, {"geometric_mean_at_least": 2}), (2, True))
        self.assertEqual(predict_math.verdict(entries, {"geometric_mean_at_least": 2.1})[1], False)
        self.assertEqual(predict_math.verdict(entries, {"each_at_least": 1}, complete=False)[1], False)
        self.assertEqual(predict_math.verdict(entries + [{"figure": 4.0, "met": False}], {"each_at_least": 9})[1], False)
        self.assertEqual(predict_math.verdict([], {"each_at_least": 1}), (None, False))


class Rows(unittest.TestCase):
    def test_the_best_single_device_is_the_base(self):
        found = rows([unit(warm=("auto", [[2, 2]]), gpu=("device", [[4, 4]]), alone=("vendor", [[3, 3]]), cpu=("device", [[9]]))])
        entry, = found["best_device"]["entries"]
        self.assertEqual((entry["base"], entry["figure"]), ("alone", 1.5))
        self.assertIs(found["best_device"]["met"], True)
        self.assertIs(found["best_device_mean"]["met"], True)
        self.assertIs(found["vendor"]["met"], False)  # 1.5 is not 3.6
        self.assertNotIn("modes", found)

    def test_without_a_database_the_first_five_repetitions_do_not_count(self):
        found = rows([unit(none=("auto", [[9, 9, 9, 9, 9, 2, 2]]), gpu=("device", [[2, 2, 2, 2, 2, 2, 2]]))])
        self.assertEqual(found["best_device_unknown"]["entries"][0]["figure"], 1)

    def test_the_row_of_one_gpu_is_all_devices_where_there_is_one(self):
        two = unit(warm=("auto", [[1, 1]]), one=("auto", [[2, 2]]), alone=("vendor", [[6, 6]]))
        self.assertAlmostEqual(rows([two])["vendor_one"]["figure"], 3)
        found = rows([unit(warm=("auto", [[1, 1]]), alone=("vendor", [[6, 6]]))], gpus=1)
        self.assertAlmostEqual(found["vendor_one"]["figure"], 6)
        self.assertNotIn("vendor", found)

    def test_page_locked_memory_has_rows_of_its_own(self):
        found = rows([unit(memory="pinned", warm=("auto", [[1, 1]]), alone=("vendor", [[1, 1]]))])
        self.assertEqual(list(found), ["pinned", "pinned_mean"])
        self.assertEqual([found[name]["met"] for name in found], [True, False])

    def test_first_repetitions_are_compared_without_the_papers_mode(self):
        found = rows([unit(warm=("auto", [[2, 1, 1, 1]]), equal=("mode", [[2, 1, 1, 3]]), paper=("mode", [[1, 1, 1, 0.5]]))])
        self.assertEqual((found["first_repetition"]["entries"][0]["base"], found["first_repetition"]["met"]), ("equal", True))
        self.assertEqual((found["modes"]["entries"][0]["base"], found["modes"]["met"]), ("paper", False))

    def test_what_was_not_measured_is_told_and_misses(self):
        found = rows([unit(warm=("auto", []), gpu=("device", [[1]]))])["best_device"]
        self.assertEqual((found["missing"], found["met"]), (["w paper"], False))
        self.assertIn("not measured: w paper", predict_rows.table([found]))

    def test_quick_goals_are_wider(self):
        units = [unit(size="small", warm=("auto", [[1.04, 1.04, 1.04, 1.04]]), a=("device", [[1, 1, 1, 1]]), equal=("mode", [[1, 1, 1, 1]]))]
        found = rows(units, 0, predict_rows.QUICK_ROWS)
        self.assertEqual([found[name]["met"] for name in ("best_device", "modes")], [True, True])
        self.assertIs(rows(units, 0)["modes"]["met"], False)

    def test_deciding_has_a_goal_for_each_benchmark(self):
        found = predict_rows.deciding_row({"decide/3": 10, "decide/9": 61})
        self.assertEqual([entry["met"] for entry in found["entries"]], [True, False])
        self.assertEqual(found["missing"], ["decide/64", "decide/unchanged", "decide/paper"])

    def test_first_splits_count_where_the_best_split_is_one(self):
        def searched(best, first):
            kernels = [{"name": "short", "seconds": 1, "first_split": 0}, {"name": "long", "seconds": 2, "first_split": first}]
            return {**unit(), "search": [], "best_split": best, "stats": {"kernels": kernels}}
        found = predict_rows.first_split_row([searched([50, 50], 1), searched([100, 0], 0), unit()])
        self.assertEqual((len(found["entries"]), found["met"]), (1, True))
        self.assertIs(predict_rows.first_split_row([searched([50, 50], 2)])["met"], False)
        self.assertIsNone(predict_rows.first_split_row([searched([100, 0], 0)]))

    def test_statuses(self):
        good = {"missing": [], "met": True}
        self.assertEqual(predict.status_of({"rows": [good], "failures": []}), 0)
        self.assertEqual(predict.status_of({"rows": [good, {"missing": [], "met": False}], "failures": []}), 1)
        self.assertEqual(predict.status_of({"rows": [{"missing": ["w"], "met": False}], "failures": []}), 2)
        self.assertEqual(predict.status_of({"rows": [good], "failures": ["w"]}), 2)
        self.assertEqual(predict.status_of({"rows": [], "failures": []}), 2)

    def test_raw_data_have_a_line_for_each_workload(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "raw.json")
            predict.write(path, {"commit": "c", "units": [unit(), unit("v")], "rows": [], "more_rows": [1], "figure": 0.123456789})
            with open(path, encoding="utf-8") as file:
                text = file.read()
        self.assertEqual(json.loads(text), {"commit": "c", "units": [unit(), unit("v")], "rows": [], "figure": 0.123457})
        self.assertEqual(len(text.splitlines()), 8)


class Search(unittest.TestCase):
    def test_grids_have_every_split_once(self):
        self.assertEqual(predict_search.grid(2, 50), [(0, 100), (50, 50), (100, 0)])
        self.assertEqual(len(set(predict_search.grid(3, 5))), 231)

    def test_shares_become_percent(self):
        self.assertEqual(predict_search.rounded([1, 1, 1]), (34, 33, 33))
        self.assertEqual(predict_search.rounded([196608, 0], 5), (100, 0))
        self.assertEqual(predict_search.rounded([0, 0], 5), (50, 50))
        self.assertEqual(sum(predict_search.rounded([3, 5, 11], 5)), 100)

    def test_neighbours_are_splits(self):
        for middle in ((100, 0, 0), (33, 33, 34), (1, 0, 99), (100,)):
            for split in predict_search.neighbours(middle, 5):
                self.assertTrue(sum(split) == 100 and min(split) >= 0 and split != middle, split)
        self.assertIn((40, 40, 20), predict_search.neighbours((50, 50, 0), 20))

    def test_the_search_ends_near_the_best_split(self):
        def takes(split):  # three devices side by side, the third with a start
            return max(split[0] / 5, split[1] / 5, split[2] / 2.3 + (1 if split[2] else 0))
        search = predict_search.Search([(100, 0, 0), (0, 100, 0), (0, 0, 100), (34, 33, 33)], [20, 5, 2])
        while (split := search.next()) is not None:
            self.assertNotIn(split, search.known)
            search.tell(split, takes(split))
        least = min(takes(split) for split in predict_search.grid(3, 1))
        self.assertLess(takes(predict_search.best(search.known)), 1.03 * least)
        self.assertLess(len(search.known), 100)

    def test_without_steps_only_the_starts_are_tried(self):
        search = predict_search.Search(predict_search.grid(2, 50), [])
        while (split := search.next()) is not None:
            search.tell(split, float("inf") if split == (0, 100) else split[0])
        self.assertEqual((len(search.known), predict_search.best(search.known)), (3, (50, 50)))

    def test_words_are_settings(self):
        self.assertEqual(predict_search.word((60, 40)), "fixed:60,40")


class Bounds(unittest.TestCase):
    def test_the_longest_of_three_is_the_bound(self):
        self.assertEqual(predict_bounds.bound(60, 10, [(1, 1, 1, 1)], [3, 6]), (6, "host memory"))
        self.assertEqual(predict_bounds.bound(60, 100, [(10, 5, 2, 5), (1, 1, 1, 1)], [3, 6]), (6, "links"))
        self.assertEqual(predict_bounds.bound(60, 100, [], [3, 6, 0]), (2, "devices"))

    def test_rates_are_those_of_page_locked_memory(self):
        def link(direction, pinned, direct, in_place=False):
            return {"device": "g", "direction": direction, "in_place": in_place, "staged": None, "pinned": pinned and {"bytes_per_second": pinned},
                    "direct": {"bytes_per_second": direct}}
        found = predict_bounds.pinned_rates({"links": [link("to", 5, 1), link("from", None, 2), {**link("to", 5, 1, True), "device": "c"}]})
        self.assertEqual(found, {"g": [5, 2]})

    def test_copies_have_a_rate(self):
        self.assertGreater(predict_bounds.copy_rate(0.01, 1 << 16), 0)


class Load(unittest.TestCase):
    def test_launches_until_the_new_best(self):
        self.assertEqual(predict_load.launches_until([5, 5, 5, 1, 1, 1], 1), 2)  # the median of 5, 1, 1
        self.assertEqual(predict_load.launches_until([1, 1, 1], 1), 0)
        self.assertEqual(predict_load.launches_until([1.11, 1.11, 1.11], 1), 0)
        self.assertIsNone(predict_load.launches_until([1.12, 1.12, 1.12], 1))

    def test_ten_launches_are_allowed(self):
        found = [predict_load.entry("w", "paper", "begins", [9] * count + [1, 1, 1], 1, "gpu") for count in (11, 12, 0)]
        self.assertEqual([each["met"] for each in found], [True, False, True])
        never = predict_load.entry("w", "paper", "ends", [9] * 9, 1, "gpu")
        self.assertEqual((never["met"], never["figure"], never["base"]), (False, 0.0, "gpu; never"))
        self.assertIs(predict_load.load_row([never], [])["met"], False)


if __name__ == "__main__":
    unittest.main()
