#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""table_test.py PROGRAM: what measures whole processes, end to end on small sizes and with PoCL in SKMD's place."""
import json
import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop()


def table(*options, **environment):
    command = [PROGRAM, "--only-pocl", "--quick", "--repetitions", "1", "--cold-repetitions", "1", "--tiny", "2", *options]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)


def rows(*options, **environment):
    done = table("--json", *options, **environment)
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


class Table(unittest.TestCase):
    def test_warm_row(self):
        status, (row,) = rows("--rows", "warm", "--programs", "vector_add,reduction")
        self.assertEqual(list(row), ["row", "about", "goal", "figure", "met", "programs"])
        self.assertEqual(row["goal"], {"geometric_mean_at_most": 0.8, "each_at_most": 1.0, "plus_seconds": 0.02})
        self.assertEqual([(entry["program"], entry["size"]) for entry in row["programs"]], [("reduction", "small"), ("vector_add", "small")])
        for entry in row["programs"]:
            self.assertEqual(list(entry), ["program", "size", "figure", "spread", "seconds", "seconds_spread", "base_seconds", "base_spread",
                                           "turns", "met"])
            self.assertAlmostEqual(entry["figure"], entry["seconds"] / entry["base_seconds"])
            self.assertEqual(entry["met"], entry["seconds"] <= entry["base_seconds"] + 0.02)
        self.assertEqual(row["met"], row["figure"] <= 0.8 and all(entry["met"] for entry in row["programs"]))
        self.assertEqual(status, 0 if row["met"] else 1)

    def test_tiny_builds_row(self):
        _, (row,) = rows("--rows", "tiny_builds")
        self.assertEqual((row["goal"], row["programs"][0]["size"]), ({"geometric_mean_at_most": 1.2}, "2"))

    def test_cold_row_has_no_goal(self):
        status, (row,) = rows("--rows", "cold", "--programs", "start_scan")
        self.assertEqual((row["goal"], row["met"], status), (None, None, 0))
        self.assertGreater(row["figure"], 0)

    def test_a_failed_program_is_exit_status_one(self):
        # No group of the program's is so small.
        status, (row,) = rows("--rows", "warm", "--programs", "vector_add", POCL_MAX_WORK_GROUP_SIZE="1")
        self.assertEqual((row["met"], row["figure"], status), (False, None, 1))
        self.assertIn("vector_add", row["error"])

    def test_for_people(self):
        done = table("--rows", "cold", "--programs", "start_scan")
        self.assertRegex(done.stdout, r"start_scan +small +[0-9.]+ ms against +[0-9.]+ ms")

    def test_unknown_rows_are_bad_input(self):
        done = table("--rows", "nothing")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nothing", done.stderr)

    def test_list(self):
        self.assertEqual(table("--list").stdout.split(), ["warm", "tiny_builds", "cold"])


if __name__ == "__main__":
    unittest.main()
