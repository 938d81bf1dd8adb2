#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench_predict_run_test.py SOURCE BUILD: scripts/bench-predict.sh measures what it says, of the sides that it says, and touches nothing of the
user's. How long things take decides nothing."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
TWO = "portable:pthread@discrete,portable:basic@discrete"


class Measure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_script(self, *arguments, **variables):
        """(exit status, standard output and error, raw data or None)."""
        out = os.path.join(self.folder, "raw.json")
        env = {name: value for name, value in os.environ.items() if not name.startswith("SKMD_")}
        env |= {"HOME": self.folder, "XDG_CACHE_HOME": os.path.join(self.folder, "cache"), "POCL_DEVICES": "pthread basic", **variables}
        done = subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "bench", "scripts", "predict.py"), "--build", BUILD, "--out", out, "--seconds", "3000", "--timeout", "600", *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=env)
        if not os.path.exists(out):
            return done.returncode, done.stdout, None
        with open(out, encoding="utf-8") as file:
            return done.returncode, done.stdout, json.load(file)

    def assert_all_measured(self, status, text, found):
        self.assertIn(status, (0, 1), text)  # goals are times
        self.assertEqual(found["failures"], [])
        self.assertTrue(found["rows"] and all(row["entries"] and not row["missing"] for row in found["rows"]), text)

    def test_two_unlike_devices(self):
        status, text, found = self.run_script("--quick", "--parts", "sixteen,search", "--workloads", "vector_add", "--sizes", "small", "--most-turns", "1", "--repeat", "6",
                                              "--check", SKMD_PROFILE_DB="/nowhere/never", SKMD_PARTITION="wrong", SKMD_CPU_THREADS="1")
        self.assert_all_measured(status, text, found)
        self.assertEqual([row["row"] for row in found["rows"]], ["best_device", "best_device_unknown", "modes", "best_split"])
        self.assertEqual(found["environment"], {"SKMD_CPU_THREADS": "1"})
        both, searched = found["units"]
        self.assertEqual([side["kind"] for side in both["sides"].values()], ["auto", "auto", "device", "device", "mode", "mode", "mode", "mode"])
        self.assertTrue(all(len(process) == 6 for side in both["sides"].values() if "dropped" not in side for process in side["processes"]))
        self.assertEqual(len(found["sides"]["auto, warm database"]["devices"]), 2)
        self.assertEqual(len(found["sides"]["SKMD over best:1"]["devices"]), 1)
        self.assertEqual((both["launches"], both["stats"]["devices"][0]["backend"]), (1, "cpu-driver"))
        self.assertEqual(len(searched["search"]), 11)  # two devices in ten per cent
        self.assertIn(searched["best_split"], [tried["split"] for tried in searched["search"]])
        self.assertFalse(os.path.exists(os.path.join(self.folder, "cache", "skmd")))

    def test_devices_with_drivers_of_their_own(self):
        status, text, found = self.run_script("--parts", "sixteen,modes,bound,iterate,pinned,irregular", "--tries", "4", "--fill-sizes", "small", "--bodies", "256", "--edge", "16", "--vendor", "pocl", "--devices", TWO, "--workloads", "vector_add", "--sizes", "small",
                                              "--repeat", "6", "--each-gpu")
        self.assert_all_measured(status, text, found)
        optional = {row["row"] for row in found["rows"]} & {"first_split"}  # where the best split is one
        self.assertEqual({row["row"] for row in found["rows"]}, {"best_device", "best_device_unknown", "first_repetition", "modes", "bound", "iterate_nbody", "iterate_stencil",
                                                              "iterate_vendor", "iterate_halo", "pinned", "irregular", *optional})
        kinds = [side["kind"] for side in found["units"][0]["sides"].values()]
        self.assertEqual(kinds, ["auto", "auto", "vendor", "vendor", "device", "device"])
        self.assertIn(found["units"][2]["bound"]["what"], ("host memory", "links", "devices"))
        self.assertTrue(found["commit"] and found["machine"]["devices"][0]["driver_version"])

    def test_a_second_load(self):
        status, text, found = self.run_script("--quick", "--parts", "load", "--load-workloads", "vector_add", "--sizes", "small")
        self.assert_all_measured(status, text, found)
        self.assertEqual([entry["workload"] for entry in found["rows"][0]["entries"]], ["vector_add, load begins", "vector_add, load ends"])
        self.assertEqual([len(found["units"][0]["load"][name]) for name in ("quiet", "loaded", "after")], [20, 30, 30])

    def test_what_deciding_costs(self):
        status, text, found = self.run_script("--quick", "--parts", "deciding")
        self.assert_all_measured(status, text, found)
        self.assertEqual(set(found["deciding_us"]), {"decide/3", "decide/9", "decide/64", "decide/unchanged", "decide/paper"})

    def test_wrong_use(self):
        for arguments, words in ((["--parts", "nothing"], "there is no nothing"), (["--sizes", "huge"], "there is no huge"),
                                 (["--vendor", "pocl", "--devices", "nowhere:0"], "matches no device"), (["--vendor", "nothing"], "has nothing in its name")):
            status, text, found = self.run_script(*arguments)
            self.assertEqual((status, found), (2, None), text)
            self.assertIn(words, text)

    def test_what_cannot_be_measured_in_time_is_told(self):
        status, text, found = self.run_script("--quick", "--parts", "sixteen", "--workloads", "vector_add", "--sizes", "small", "--seconds", "1")
        self.assertEqual(status, 2, text)
        self.assertIn("not measured: vector_add small", text)
        self.assertFalse(any(side["processes"] for side in found["units"][0]["sides"].values()))


if __name__ == "__main__":
    unittest.main()
