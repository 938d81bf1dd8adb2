#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The table's program end to end, on small sizes and with PoCL in SKMD's place. Argument: the program."""
import json
import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()
HAS_AVX2 = " avx2 " in open("/proc/cpuinfo", encoding="utf-8").read()


def table(*options, **environment):
    return subprocess.run([PROGRAM, "--only-pocl", "--size", "small", "--repetitions", "1", *options], capture_output=True, text=True,
                          env=os.environ | environment)


def rows(*names, **environment):
    done = table("--json", "--rows", ",".join(names), **environment)
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


class Table(unittest.TestCase):
    def test_a_row_has_goal_figure_and_spread(self):
        status, (row,) = rows("vector_add")
        self.assertEqual(list(row), ["name", "goal", "unit", "figure", "spread", "met", "details"])
        self.assertEqual(row["goal"], {"at_least": 1.0 if HAS_AVX2 else 0.7})
        self.assertEqual(row["spread"], [row["figure"], row["figure"]])
        self.assertEqual(row["met"], row["figure"] >= row["goal"]["at_least"])
        self.assertEqual(status, 0 if row["met"] else 1)

    def test_vectors_by_hand_say_their_share_of_the_peak(self):
        _, (row,) = rows("nbody/by_hand")
        baseline = row["details"]["baseline"]
        self.assertGreater(baseline["interactions_per_second"], 0)
        self.assertGreater(baseline["share_of_peak"], 0)

    def test_plain_loops_and_the_workload_itself(self):
        _, (whole, loops) = rows("reduction", "reduction/by_loops")
        self.assertEqual([whole["name"], loops["name"]], ["reduction", "reduction/by_loops"])
        self.assertGreater(loops["details"]["baseline"]["bytes_per_second"], 0)

    def test_what_launches_cost(self):
        _, lines = rows("empty_kernel", "empty_group", "half_the_groups")
        self.assertEqual([row["name"] for row in lines], ["empty_kernel", "empty_group", "half_the_groups"])
        self.assertEqual([row["unit"] for row in lines], ["us", "ns", "x"])
        self.assertTrue(all(row["figure"] > 0 for row in lines), lines)

    def test_an_unmet_row_is_exit_status_one(self):
        # No device to measure on.
        status, (row,) = rows("nbody/by_hand", OCL_ICD_VENDORS="/nonexistent")
        self.assertFalse(row["met"], row)
        self.assertEqual(row["name"], "nbody/by_hand")
        self.assertIn("error", row)
        self.assertEqual(status, 1)

    def test_goals_follow_the_cap(self):
        _, (row,) = rows("vector_add", SKMD_TEST_ISA="sse")
        self.assertEqual(row["goal"], {"at_least": 0.7})

    def test_for_people(self):
        done = table("--rows", "mandelbrot", SKMD_TEST_ISA="avx2" if HAS_AVX2 else "sse")
        self.assertRegex(done.stdout, r"^mandelbrot +[0-9.e+]+ x +\(.*\)  >= " + ("2 " if HAS_AVX2 else "0.7 "))

    def test_unknown_rows_are_bad_input(self):
        done = table("--rows", "nothing")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing", done.stderr)

    def test_list(self):
        self.assertIn("cold_compile", table("--list").stdout.splitlines())


if __name__ == "__main__":
    unittest.main()
