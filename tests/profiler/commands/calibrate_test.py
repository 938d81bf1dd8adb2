#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""skmd-profile calibrate as its users see it, on fake devices and on our own CPU driver. Times are looked at, never judged.

    calibrate_test.py SKMD-PROFILE VENDORS

VENDORS is the folder of the fake OpenCL vendor.
"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

COMMAND, VENDORS = sys.argv[1:3]
WAY = ["bytes_per_second", "latency_seconds", "points", "threads"]


class Calibrate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="skmd-calibrate-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.db = os.path.join(self.folder, "profile.db")

    def run_command(self, *arguments, status=0, **variables):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SKMD_", "STUB_"))}
        environment.update(SKMD_VENDORS=VENDORS, SKMD_TEST_CPU_DRIVER="0", SKMD_CACHE_DIR=self.folder, STUB_DEVICES="gpu,cpu")
        environment.update(variables)
        words = [COMMAND, "--db", self.db, *arguments]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        self.assertEqual(done.returncode, status, (words, done.stdout[-2000:], done.stderr[-2000:]))
        return done

    def answer(self, *arguments, **options):
        return json.loads(self.run_command("--json", *arguments, **options).stdout)

    def check_device(self, device):
        self.assertEqual(sorted(device), ["calibration", "driver", "name", "platform", "shares_cores_with", "units"])
        calibration = device["calibration"]
        for key in ("launch_seconds", "box_seconds", "first_use_seconds", "cache_bytes_per_second", "memory_bytes_per_second"):
            self.assertTrue(math.isfinite(calibration[key]) and calibration[key] > 0, (key, calibration))
        self.assertGreaterEqual(calibration["cache_bytes"], 0)
        self.assertGreaterEqual(calibration["cache_bytes_per_second"], calibration["memory_bytes_per_second"])
        sizes = [size for size, _ in calibration["bandwidth"]]
        self.assertEqual(sizes, sorted(set(sizes)))
        self.assertGreaterEqual(sizes[-1], 4 << 20)
        self.assertGreater(calibration["date"], 1700000000)

    def check_way(self, way):
        self.assertEqual(sorted(way), WAY)
        self.assertGreater(way["bytes_per_second"], 0)
        self.assertGreaterEqual(way["latency_seconds"], 0)
        self.assertEqual(way["points"][0][0], 1024)
        self.assertGreaterEqual(way["points"][-1][0], 4 << 20)
        self.assertTrue(all(seconds > 0 for _, seconds in way["points"]))

    def test_measures_devices_and_links_and_keeps_them(self):
        answer = self.answer("calibrate", "--quick", "--devices", "stub:0,stub:1")
        self.assertEqual(sorted(answer), ["devices", "file", "links", "problems", "version"])
        self.assertEqual((answer["version"], answer["problems"]), (1, []))
        self.assertEqual([device["name"] for device in answer["devices"]], ["Stub GPU 0", "Stub CPU 1"])
        for device in answer["devices"]:
            self.check_device(device)
        self.assertEqual([device["calibration"]["host_cores"] for device in answer["devices"]], [False, True])
        self.assertEqual([(link["device"], link["direction"], link["in_place"]) for link in answer["links"]],
                         [("Stub GPU 0", "to", False), ("Stub GPU 0", "from", False), ("Stub CPU 1", "to", True), ("Stub CPU 1", "from", True)])
        for link in answer["links"]:
            self.check_way(link["direct"])
            if link["in_place"]:
                self.assertEqual((link["pinned"], link["staged"]), (None, None))
            else:
                self.check_way(link["pinned"])
                if len(os.sched_getaffinity(0)) > 1:
                    self.check_way(link["staged"])
            self.assertIn("threads", link["host"])
            self.assertEqual([beside["device"] for beside in link["beside_kernels"]], [] if link["in_place"] else ["Stub CPU 1"])
        shown = self.answer("show")
        self.assertEqual({device["name"]: device["calibration"] for device in shown["devices"]},
                         {device["name"]: device["calibration"] for device in answer["devices"]})
        self.assertEqual({device["origin"] for device in shown["devices"]}, {"measured"})
        self.assertEqual(len(shown["links"]), 4)
        self.assertEqual(shown["schema"], 3)
        text = self.run_command("show").stdout
        self.assertIn("one more box", text)
        self.assertIn("page-locked", text)

    def test_files_carry_calibrations(self):
        self.run_command("calibrate", "--quick", "--devices", "stub:0")
        one, two = (os.path.join(self.folder, name) for name in ("one.jsonl", "two.jsonl"))
        self.assertEqual(self.answer("export", one)["calibrations"], 3)
        first, self.db = self.db, os.path.join(self.folder, "second.db")
        self.assertEqual(self.answer("import", one)["files"][0]["new_calibrations"], 3)
        self.assertEqual(self.answer("import", one)["files"][0]["new_calibrations"], 0)
        self.run_command("export", two)
        with open(one, encoding="utf-8") as a, open(two, encoding="utf-8") as b:
            lines = a.read().splitlines()
            self.assertEqual(lines, b.read().splitlines())
        self.assertEqual(lines[1:], sorted(lines[1:]))
        self.assertEqual({link["origin"] for link in self.answer("show")["links"]}, {"imported"})
        self.assertEqual(self.answer("merge", first)["files"][0]["new_calibrations"], 3)
        self.assertEqual({link["origin"] for link in self.answer("show")["links"]}, {"measured"})
        self.assertEqual(self.answer("check")["clean"], True)
        self.assertEqual(self.answer("prune", "--device", "Stub GPU 0")["removed"], 3)
        self.assertEqual(self.answer("show")["devices"], [])

    def test_our_own_cpu_driver_can_be_measured(self):
        vendors = os.path.join(self.folder, "vendors")
        os.mkdir(vendors)  # none: the processors are known without a vendor
        answer = self.answer("calibrate", "--quick", "--devices", "cpu", SKMD_VENDORS=vendors, SKMD_TEST_CPU_DRIVER="1")
        self.assertEqual(len(answer["devices"]), 1)
        self.check_device(answer["devices"][0])
        self.assertEqual([link["in_place"] for link in answer["links"]], [True, True])
        for link in answer["links"]:
            self.check_way(link["direct"])
            self.assertIsNone(link["pinned"])

    def test_what_was_calibrated_bounds_the_models(self):
        """Spans that were measured in the cache say nothing of larger ones, which wait for memory."""
        cache, inside, beyond, group_bytes = 5e7, 1e13, 1e12, 8192

        def span(tag, launch, groups):
            moved = groups * group_bytes
            seconds = 1e-6 + min(moved, cache) / inside + max(0.0, moved - cache) / beyond
            return {"program": "p", "kernel": "k", "form": "ready", "platform": "p", "device": "d", "driver": "1", "units": 132, "tag": tag,
                    "dims": 1, "offset": [0, 0, 0], "global": [launch * 64, 1, 1], "local": [64, 1, 1], "first": 0, "last": groups,
                    "buffers": [[0, launch * group_bytes]], "group_bytes": float(group_bytes), "kernel_ns": round(seconds * 1e9)}

        samples = [span("small", launch, launch * part // 16) for launch in (1000, 5000) for part in range(1, 17)]
        samples += [span("large", 100000, 100000 * part // 16) for part in range(4, 17)]
        calibration = {"calibration": "device", "platform": "p", "device": "d", "driver": "1", "units": 132, "cache_bytes": cache,
                       "cache_bytes_per_second": inside, "memory_bytes_per_second": beyond, "date": 1}
        path = os.path.join(self.folder, "in.jsonl")
        medians = []
        for lines in (samples, [calibration, *samples]):
            self.db = os.path.join(self.folder, f"{len(lines)}.db")
            with open(path, "w", encoding="utf-8") as file:
                for line in ({"skmd_profile": 1}, *lines):
                    print(json.dumps(line), file=file)
            self.run_command("import", path)
            medians.append(self.answer("evaluate", "--train", "small", "--test", "large")["kernels"][0]["median"])
        self.assertGreater(medians[0], 0.5)
        self.assertLess(medians[1], 0.15)

    def test_says_why_nothing_can_be_measured(self):
        done = self.run_command("calibrate", "--quick", "--devices", "nothing:like-it", status=1)
        self.assertIn("nothing:like-it", done.stderr)
        self.run_command("calibrate", "--quik", status=2)
        self.db = self.folder
        self.assertIn("is no file", self.run_command("calibrate", "--quick", status=1).stderr)

    def test_a_device_that_fails_is_told_and_the_others_are_kept(self):
        answer = self.answer("calibrate", "--quick", "--devices", "stub:0,stub:1", STUB_FAIL="clBuildProgram:1")
        self.assertEqual(len(answer["devices"]), 1)
        self.assertEqual(len(answer["problems"]), 1)
        self.assertIn("Stub GPU 0", answer["problems"][0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
