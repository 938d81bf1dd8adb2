#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What statistics say of transfers: which were timed, what slices waited for, and by which mode launches were divided.

usage: statistics_test.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
DEVICES = "portable:pthread@discrete,portable:basic@discrete"


def statistics(mode):
    """Of three rounds of write, launch and read; from the second on, the writes go straight to the devices."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        subprocess.run([f"{BUILD}/bin/skmd-run", "--devices", DEVICES, "--partition", mode, "--stats", stats, "--cache-dir", f"{BUILD}/tests/driver/cache",
                        "--", f"{BUILD}/bench/vector_add", "--size", "profile1", "--repeat", "3"],
                       env={**os.environ, "POCL_DEVICES": "pthread basic"}, check=True, stdout=subprocess.DEVNULL, timeout=300)
        with open(stats, encoding="utf-8") as file:
            return json.load(file)


class Statistics(unittest.TestCase):
    def test_direct_writes_are_timed(self):
        found = statistics("fixed:75,25")
        self.assertEqual(found["partition"]["mode"], "fixed")
        kernel, = found["kernels"]
        for moved, worked in zip(found["transfers"], kernel["devices"]):
            self.assertGreater(moved["seconds_to"], 0)
            self.assertGreater(moved["bytes_to"], worked["upload_bytes"])  # the first round's
            self.assertGreater(worked["upload_bytes"], 0)

    def test_what_a_launch_waits_for_is_timed_where_plans_go_by_times(self):
        found = statistics("auto")
        self.assertEqual(found["partition"]["mode"], "auto")
        kernel, = found["kernels"]
        first = max(kernel["devices"], key=lambda worked: worked["groups"])
        self.assertGreater(first["upload_bytes"], 0)
        self.assertGreater(first["upload_seconds"], 0)
        self.assertGreater(first["seconds"], 0)


if __name__ == "__main__":
    unittest.main()
