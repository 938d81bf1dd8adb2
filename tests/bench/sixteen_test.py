#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""sixteen.sh over a skmd-run that only writes statistics and starts the application. Arguments: the script, the folder of
the workloads."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

WORKLOADS = sys.argv.pop()
SCRIPT = sys.argv.pop()

STATS = {
    "version": 1,
    "devices": [{"name": "a", "kind": "cpu", "backend": "icd"}, {"name": "b", "kind": "cpu", "backend": "icd"}],
    "kernels": [{"name": "some_kernel", "program": "0", "access": "contiguous", "launches": 5, "split_launches": 4,
                 "groups": [30, 10], "merge": {"disjoint": 4, "kernel": 0, "diff": 0, "reduce": 0},
                 "not_split": {"one_group": 1}, "seconds": 0.0, "predicted_seconds": 0.0}],
    "transfers": [{"device": 0, "bytes_to": 1500000, "bytes_from": 0},
                  {"device": 1, "bytes_to": 500000, "bytes_from": 700000}],
    "partition": {"count": 0, "p50_us": 0.0, "max_us": 0.0},
    "verify": {"launches": 0, "mismatches": 0},
}

LAUNCHER = """#!/usr/bin/env bash
echo "$*" >> "$(dirname "$0")/calls"
while [[ $1 != -- ]]; do
  if [[ $1 == --stats ]]; then cp "$(dirname "$0")/stats.json" "$2"; fi
  shift
done
shift
exec "$@"
"""


class Sixteen(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.build = self.folder.name
        os.mkdir(os.path.join(self.build, "bin"))
        os.symlink(WORKLOADS, os.path.join(self.build, "bench"))
        self.write("bin/skmd-run", LAUNCHER)
        os.chmod(os.path.join(self.build, "bin/skmd-run"), 0o755)
        self.write("bin/stats.json", json.dumps(STATS))

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        with open(os.path.join(self.build, name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_script(self, *options):
        return subprocess.run([SCRIPT, "--build", self.build, "--out", os.path.join(self.build, "out"), *options],
                              capture_output=True, text=True)

    def test_prints_shares_rungs_and_reasons(self):
        done = self.run_script("--workloads", "vector_add")
        self.assertEqual(done.returncode, 0, done)
        line = next(line for line in done.stdout.splitlines() if line.startswith("vector_add"))
        for part in ("ok", "some_kernel", "contiguous", "4/5", "75%/25%", "disjoint:4", "one_group:1", "2.0/0.7"):
            self.assertIn(part, line)
        self.assertIn("1 of 1 right", done.stdout)

    def test_passes_devices_and_partition_on(self):
        self.run_script("--workloads", "vector_add", "--devices", "a:0,b:0", "--partition", "fixed:10,90")
        with open(os.path.join(self.build, "bin/calls"), encoding="utf-8") as file:
            call = file.read()
        self.assertIn("--devices a:0,b:0 --partition fixed:10,90", call)
        self.assertIn("--check", call)

    def test_a_failed_workload_fails_the_script(self):
        done = self.run_script("--workloads", "vector_add", "--size", "huge")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit 2", done.stdout)
        self.assertIn("vector_add: Run with --help", done.stdout)
        self.assertIn("0 of 1 right", done.stdout)

    def test_missing_statistics_fail_the_script(self):
        self.write("bin/stats.json", "not json")
        done = self.run_script("--workloads", "vector_add")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no statistics", done.stdout)

    def test_bad_option(self):
        self.assertEqual(self.run_script("--frobnicate").returncode, 2)

    def test_no_build(self):
        self.assertEqual(subprocess.run([SCRIPT, "--build", "/nonexistent"], capture_output=True).returncode, 2)


if __name__ == "__main__":
    unittest.main()
