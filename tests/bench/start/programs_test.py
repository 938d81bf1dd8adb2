#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""programs_test.py PROGRAM SKMD SPOILER OPTION…: the program is right on PoCL and on SKMD's CPU driver, prints one line of the agreed shape,
and --check notices a wrong result."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SKMD, SPOILER, *OPTIONS = sys.argv[1:]
NAME = os.path.basename(PROGRAM)


def run(*options, **environment):
    return subprocess.run([PROGRAM, *OPTIONS, *options], capture_output=True, text=True, env={**os.environ, **environment}, check=False)


class Programs(unittest.TestCase):
    def assert_right(self, done, checked=True):
        self.assertEqual(done.returncode, 0, (done.stdout, done.stderr))
        (line,) = done.stdout.splitlines()
        answer = json.loads(line)
        more = ["run_every"] if NAME == "start_tiny_builds" else []
        self.assertEqual(list(answer), ["workload", "size", *more, "build_seconds", "seconds", "checked", "ok"])
        self.assertEqual((answer["workload"], answer["checked"], answer["ok"]), (NAME, "all" if checked else "none", True))
        (seconds,) = answer["seconds"]
        self.assertTrue(0 < answer["build_seconds"] < seconds, answer)

    def test_on_pocl(self):
        self.assert_right(run("--check", "--device", "portable:0"))

    def test_on_the_cpu_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "one.icd"), "w", encoding="utf-8") as file:
                file.write(SKMD + "\n")
            stats = os.path.join(folder, "stats.json")
            self.assert_right(run("--check", "--device", "skmd:0", OCL_ICD_VENDORS=folder, OCL_ICD_FILENAMES=SKMD, SKMD_DEVICES="cpu",
                                  SKMD_TEST_CPU_DRIVER="1", SKMD_STATS=stats))
            with open(stats, encoding="utf-8") as file:
                written = json.load(file)
        self.assertTrue(written["kernels"], written)
        self.assertEqual(written["other_cpu_driver"]["kernels"], [])

    def test_check_notices_a_wrong_result(self):
        done = run("--check", "--device", "portable:0", LD_PRELOAD=SPOILER)
        self.assertEqual(done.returncode, 1, (done.stdout, done.stderr))
        self.assertFalse(json.loads(done.stdout)["ok"])
        self.assertIn("wrong result", done.stderr)

    def test_without_check_nothing_is_claimed(self):
        self.assert_right(run("--device", "portable:0", LD_PRELOAD=SPOILER), checked=False)

    def test_bad_options(self):
        self.assertEqual(run("--frobnicate").returncode, 2)
        self.assertEqual(run("--device", "nowhere:0").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
