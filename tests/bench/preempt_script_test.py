#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/scripts/preempt.py measures and its tables are drawn; which times those are decides nothing.

usage: preempt_script_test.py SOURCE BUILD
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (os.path.abspath(path) for path in sys.argv[1:])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(SOURCE, "scripts"))
import preempt_results  # noqa: E402


def run(*options, **variables):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        command = [os.path.join(SOURCE, "scripts", "bench-gpu.sh"), "--preempt", "--size", "small", "--repeat", "3", "--turns", "1", "--out", out, *options]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables}, check=False, timeout=300)
        if not os.path.exists(out):
            return done, None
        with open(out, encoding="utf-8") as file:
            return done, json.load(file)


class Preempt(unittest.TestCase):
    def test_stops_and_forms_become_tables(self):
        done, told = run("--parts", "stops,forms", "--milliseconds", "0.5", "--stopped", "matrix_multiplication", "--workloads", "matrix_multiplication", "--after", "100")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual({row["mode"] for row in told["stops"]}, {"auto", "item"})
        self.assertTrue(any(row["stops"] > 0 and row["goal_us"] in (300, 1000) for row in told["stops"]), told["stops"])
        (row,) = told["forms"]
        self.assertEqual({mode: len(seconds) for mode, seconds in row["seconds"].items()}, {"auto": 1, "item": 1, "off": 1})
        told["origin"] = "a test"
        for kind, draw in preempt_results.KINDS.items():
            self.assertTrue(draw(told).endswith("\n"), kind)
        self.assertIn("| matrix_multiplication | ", preempt_results.preempt_stops(told))
        self.assertIn("| matrix_multiplication | ", preempt_results.preempt_forms(told))

    def test_goals_are_of_the_form(self):
        rows = [{"ratios": {"item": 1.0}, "workload": "a"}, {"ratios": {"item": 1.21, "auto": 1.0}, "workload": "b"}]
        sys.path.insert(0, os.path.join(SOURCE, "bench", "scripts"))
        import preempt  # pylint: disable=import-outside-toplevel
        auto, item = preempt.form_goals(rows)
        self.assertEqual((auto["workloads"], auto["met"]), (1, True))
        self.assertEqual((item["worst"], round(item["geomean"], 6), item["met"]), (["b", 1.21], 1.1, False))

    def test_what_time_did_not_suffice_for_is_told(self):
        done, told = run("--parts", "forms", "--workloads", "vector_add", "--seconds", "0")
        self.assertEqual((done.returncode, told["forms"], told["left_out"]), (0, [], ["forms of vector_add"]), done.stderr)

    def test_a_failed_process_is_exit_status_one(self):
        done, told = run("--parts", "forms", "--workloads", "vector_add", "--device", "nothing:0")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertTrue(told["failures"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
