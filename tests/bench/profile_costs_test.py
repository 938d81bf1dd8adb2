#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""profile_costs_test.py SOURCE BUILD: what bench/scripts/profile_costs.py makes of figures, and that its rows come out of a real run."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = sys.argv.pop(1), sys.argv.pop(1)
sys.path.insert(0, os.path.join(SOURCE, "bench", "scripts"))
import profile_costs  # noqa: E402


class Figures(unittest.TestCase):
    def test_a_row_is_met_if_no_figure_is_above_its_limit(self):
        self.assertTrue(profile_costs.row("r", "about", "ms", 5, {"a": 5, "b": 1})["met"])
        self.assertFalse(profile_costs.row("r", "about", "ms", 5, {"a": 5.1, "b": 1})["met"])

    def test_a_bar_is_judged_without_the_second_it_rounds_up_to(self):
        self.assertEqual(profile_costs.wrong_by([(10, 10.0), (11, 10.0), (16, 10.0), (7, 10.0)]), [0.0, 0.0, 0.5, 0.3])

    def test_the_very_last_moment_is_not_judged(self):
        self.assertEqual(profile_costs.wrong_by([(1, 0.1), (9, 0.1)]), [])
        self.assertEqual(profile_costs.wrong_by([(1, 0.5), (2, 0.5)]), [0.0, 1.0])

    def test_of_a_bar_the_median_and_the_part_that_is_right_to_a_third_are_told(self):
        self.assertEqual(profile_costs.bar_facts([0.0, 0.1, 0.3, 0.5]), {"lines": 4, "median": 0.2, "right": 0.75})
        self.assertIsNone(profile_costs.bar_facts([]))


class RealRun(unittest.TestCase):
    def test_rows_and_exit_status(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            command = [sys.executable, "-B", os.path.join(SOURCE, "bench", "scripts", "profile_costs.py"), "--build", BUILD, "--rows", "models", "--origin", "here", "--out", out]
            ended = subprocess.run(command, capture_output=True, text=True)
            with open(out, encoding="utf-8") as file:
                document = json.load(file)
        self.assertEqual(document["origin"], "here")
        self.assertEqual([row["row"] for row in document["rows"]], ["fit", "predict"])
        self.assertIn("binomial_option", document["rows"][0]["figures"])
        self.assertEqual(ended.returncode, 0 if all(row["met"] for row in document["rows"]) else 1, ended.stderr)
        self.assertEqual(len(ended.stdout.splitlines()), 2, ended.stdout)

    def test_a_profiling_run_is_compared_with_the_plain_one(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            command = [sys.executable, "-B", os.path.join(SOURCE, "bench", "scripts", "profile_costs.py"), "--build", BUILD, "--rows", "run",
                       "--workloads", "vector_add", "--size", "small", "--out", out]
            ended = subprocess.run(command, capture_output=True, text=True)
            self.assertIn(ended.returncode, (0, 1), ended.stderr)
            with open(out, encoding="utf-8") as file:
                document = json.load(file)
        self.assertIn("--workloads vector_add", document["command"])
        self.assertTrue(document["commit"] and document["machine"]["cores"])
        ratio, bar = document["rows"]
        one = ratio["workloads"]["vector_add"]
        self.assertEqual(sorted(one), ["bar", "others", "plain_seconds", "run_seconds", "told"])
        self.assertEqual((len(one["plain_seconds"]), len(one["run_seconds"])), (3, 3))
        self.assertAlmostEqual(ratio["figures"]["vector_add"], sorted(one["run_seconds"])[1] / sorted(one["plain_seconds"])[1])
        self.assertEqual(set(bar["figures"]), {"vector_add"} if one["bar"] else set())

    def test_an_unknown_row_is_wrong_use(self):
        command = [sys.executable, "-B", os.path.join(SOURCE, "bench", "scripts", "profile_costs.py"), "--rows", "nothing"]
        ended = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("no such row: nothing; there are models first calls run", ended.stderr)
        ended = subprocess.run([*command[:-2], "--workloads", "nothing"], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("no such workload: nothing", ended.stderr)


if __name__ == "__main__":
    unittest.main()
