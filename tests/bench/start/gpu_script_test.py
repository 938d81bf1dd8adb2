#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""gpu_script_test.py SOURCE BUILD: scripts/bench-gpu.sh --start with PoCL standing for a GPU's driver."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = (os.path.abspath(path) for path in sys.argv[1:])
SCRIPT = os.path.join(SOURCE, "bench", "scripts", "start.py")


def run(*options):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        command = [sys.executable, "-B", SCRIPT, "--build", BUILD, "--vendor", "pocl", "--gpu", "portable:0", "--five-size", "small", "--sizes",
                   "small", "--repetitions", "1", "--out", out, *options]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "POCL_DEVICES": "pthread"}, check=False)
        if not os.path.exists(out):
            return done, None
        with open(out, encoding="utf-8") as file:
            return done, json.load(file)


class Start(unittest.TestCase):
    def test_parts_become_rows(self):
        done, document = run("--workloads", "start_scan,vector_add")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([row["row"] for row in document["rows"]], ["cold", "five", "sixteen"])
        self.assertEqual(document["rows"][0]["goal"], {"each_at_most": 1.1, "plus_seconds": 0.0})
        for row in document["rows"]:
            (entry,) = row["programs"]
            self.assertEqual(sorted(entry["sides"]), ["SKMD", "SKMD, GPU", "vendor alone"])
            self.assertAlmostEqual(entry["figure"], entry["seconds"] / entry["base_seconds"])
            for side in entry["sides"].values():
                self.assertEqual(len(side), 1)
                self.assertGreater(side[0]["process"], side[0]["inside"])
        self.assertRegex(done.stdout, r"start_scan small +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +1")

    def test_turns_of_earlier_runs_count_too(self):
        times = lambda *seconds: [{"process": each, "inside": each / 2, "build": None} for each in seconds]
        sides = {"vendor alone": times(1.0, 3.0, 2.0), "SKMD, GPU": times(1.0), "SKMD": times(2.0, 2.2, 2.1)}
        earlier = {"machine": {"processor": "another"}, "command": "start.py", "failures": [],
                   "rows": [{"row": "cold", "programs": [{"program": "start_scan", "size": "small", "sides": sides}]}]}
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "earlier.json")
            with open(name, "w", encoding="utf-8") as file:
                json.dump(earlier, file)
            done, document = run("--parts", "cold", "--workloads", "start_scan", "--repetitions", "0", "--add", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(document["machine"], {"processor": "another"})
            (entry,) = document["rows"][0]["programs"]
            self.assertAlmostEqual(entry["figure"], 1.05)
            self.assertTrue(document["rows"][0]["met"])
            done, document = run("--parts", "cold", "--workloads", "start_scan", "--add", name, "--add", name)
        (entry,) = document["rows"][0]["programs"]
        self.assertEqual((entry["turns"], len(entry["sides"]["SKMD, GPU"]), len(document["added"])), (7, 3, 2), done.stdout)

    def test_what_time_did_not_suffice_for_is_told(self):
        done, document = run("--workloads", "vector_add", "--parts", "sixteen", "--seconds", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        (row,) = document["rows"]
        self.assertEqual((row["programs"], row["figure"], row["met"]), ([], None, False))
        self.assertEqual(row["error"], "no turn of vector_add small")

    def test_a_failed_process_is_exit_status_one(self):
        done, document = run("--workloads", "vector_add", "--parts", "sixteen", "--gpu", "nothing:0")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("FAILED vector_add, small, SKMD, GPU", done.stdout)
        self.assertTrue(document["failures"])

    def test_what_is_not_there_is_told(self):
        self.assertIn("there is no soup", run("--parts", "soup")[0].stderr)
        self.assertIn("no installed driver", run("--vendor", "no vendor's")[0].stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
