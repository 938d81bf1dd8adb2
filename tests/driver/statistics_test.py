#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What statistics say of transfers: which were timed, what slices waited for, and by which mode launches were divided; and which
launches leave samples for the profile database.

usage: statistics_test.py BUILD
"""
import json
import os
import shutil
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


class Samples(unittest.TestCase):
    def kept(self, without_compiler=False, vendors_of_others="/etc/OpenCL/vendors"):
        """Of vector_add on the CPU driver: launches, those that another one ran, and samples in the database."""
        with tempfile.TemporaryDirectory() as folder:
            library, vendors, database = f"{folder}/lib/libskmd.so", f"{folder}/vendors", f"{folder}/profile.db"
            os.makedirs(f"{folder}/lib")
            os.makedirs(vendors)
            shutil.copy(os.path.realpath(f"{BUILD}/lib/libskmd.so"), library)
            if not without_compiler:
                os.symlink(f"{BUILD}/libexec", f"{folder}/libexec")
            with open(f"{vendors}/skmd.icd", "w", encoding="utf-8") as icd:
                icd.write(library + "\n")
            environment = {key: value for key, value in os.environ.items() if not key.startswith("SKMD_")}
            environment |= {"OCL_ICD_VENDORS": vendors, "SKMD_VENDORS": vendors_of_others, "SKMD_DEVICES": "cpu", "SKMD_TEST_CPU_DRIVER": "1",
                            "SKMD_PROFILE_DB": database, "SKMD_STATS": f"{folder}/stats.json", "SKMD_CACHE_DIR": f"{folder}/cache"}
            subprocess.run([f"{BUILD}/bench/vector_add", "--size", "small", "--repeat", "3"], env=environment, check=True, stdout=subprocess.DEVNULL,
                           timeout=300)
            with open(f"{folder}/stats.json", encoding="utf-8") as file:
                stats = json.load(file)
            if not [name for name in os.listdir(folder) if name.startswith("profile.db")]:
                return stats, None
            done = subprocess.run([f"{BUILD}/bin/skmd-profile", "--db", database, "--json", "show"], check=True, capture_output=True, timeout=300)
            return stats, json.loads(done.stdout)

    def test_what_our_code_ran_is_kept(self):
        stats, shown = self.kept()
        self.assertEqual(stats["other_cpu_driver"]["launches"], 0)
        self.assertGreater(stats["profile"]["written"], 0)
        device, = shown["kernels"][0]["devices"]
        self.assertTrue(device["form"].startswith("span-"), device)

    def test_the_processor_has_one_name_with_pocl_and_without(self):
        with tempfile.TemporaryDirectory() as empty:
            (beside, shown), (alone, shown_alone) = self.kept(), self.kept(vendors_of_others=empty)
        self.assertNotEqual(beside["devices"][0]["name"], alone["devices"][0]["name"], "PoCL is not there")
        for document in (shown, shown_alone):
            device, = document["devices"]
            self.assertEqual((device["platform"], device["name"]), ("SKMD", alone["devices"][0]["name"]))
            self.assertTrue(device["here"])

    def test_what_another_driver_ran_is_not(self):
        stats, shown = self.kept(without_compiler=True)
        self.assertGreater(stats["other_cpu_driver"]["launches"], 0)
        self.assertEqual(stats["profile"]["written"], 0)
        self.assertFalse(shown and shown["kernels"], shown)


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
