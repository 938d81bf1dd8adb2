#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""skmd-profile run as its users see it: what is measured and reported, and that applications run as without it.

    profile_run_test.py BUILD
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

BUILD = sys.argv[1]
COMMAND = f"{BUILD}/bin/skmd-profile"
TWO = "portable:pthread@discrete,portable:basic@discrete"
LENGTHS = 16


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="skmd-profile-run-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.db = os.path.join(self.folder, "profile.db")
        self.report = os.path.join(self.folder, "report.json")

    def execute(self, *words, **variables):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SKMD_")}
        environment |= {"SKMD_CACHE_DIR": f"{BUILD}/tests/driver/cache", "POCL_DEVICES": "pthread basic"} | variables
        return subprocess.run([COMMAND, "--db", self.db, *words], capture_output=True, text=True, env=environment, check=False, timeout=600)

    def profile(self, *words, options=(), status=0, **variables):
        done = self.execute("run", "--report", self.report, *options, "--", *words, **variables)
        self.assertEqual(done.returncode, status, (words, done.stdout[-2000:], done.stderr[-2000:]))
        with open(self.report, encoding="utf-8") as file:
            return json.load(file), done

    def samples(self, tag):
        done = self.execute("--json", "show", "--samples")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [sample for sample in json.loads(done.stdout)["samples"] if sample["tag"] == tag]

    def test_every_launch_is_timed_on_every_device(self):
        report, done = self.profile(f"{BUILD}/bench/black_scholes", "--size", "profile1", "--check", options=("--devices", TWO, "--tag", "one"))
        self.assertTrue(json.loads(done.stdout)["ok"])
        self.assertEqual(sorted(report), ["kernels", "seconds", "status", "tag", "version"])
        self.assertEqual((report["version"], report["tag"], report["status"]), (1, "one", 0))
        self.assertGreater(report["seconds"], 0)
        kernel, = report["kernels"]
        self.assertEqual(sorted(kernel), ["launches", "left_out", "name", "profiled", "program", "samples"])
        self.assertEqual(kernel["profiled"], 1)
        self.assertEqual(kernel["launches"], kernel["profiled"] + sum(kernel["left_out"].values()))
        self.assertEqual(len(kernel["samples"]), 2)
        self.assertTrue(all(count >= LENGTHS for count in kernel["samples"]), kernel)
        # The application's own launches leave none.
        samples = self.samples("one")
        self.assertEqual(len(samples), sum(kernel["samples"]))
        for device in {sample["device"] for sample in samples}:
            spans = [sample["last"] - sample["first"] for sample in samples if sample["device"] == device and not sample["first_use"]]
            self.assertTrue({4, 8, 12, 16} <= set(spans), spans)
        self.assertFalse([name for name in os.listdir(self.folder) if name not in ("profile.db", "report.json")])
        self.assertIn("samples in", done.stderr)

    def test_a_report_goes_through_a_link(self):
        target = os.path.join(self.folder, "target.json")
        os.symlink("target.json", self.report)
        report, _ = self.profile("true")
        self.assertEqual((report["status"], report["kernels"]), (0, []))
        self.assertEqual(os.readlink(self.report), "target.json")
        self.assertFalse(os.path.islink(target))
        done = self.execute("run", "--report", f"{self.folder}/none/report", "--", "true")
        self.assertEqual(done.returncode, 125)
        self.assertIn(f"{self.folder}/none/report: cannot be made: No such file or directory", done.stderr)

    def test_predictions_come_from_smaller_runs(self):
        # How good they are on this machine, which may be busy, is docs/results/prediction.md's.
        for tag in ("small", "profile1", "profile2"):
            self.profile(f"{BUILD}/bench/matrix_multiplication", "--size", tag, options=("--devices", "cpu", "--tag", tag), SKMD_TEST_CPU_DRIVER="1")
        answer = json.loads(self.execute("--json", "evaluate", "--train", "small,profile1", "--test", "profile2").stdout)
        kernel, = answer["kernels"]
        self.assertEqual(kernel["name"], "matrix_multiplication")
        self.assertGreater(kernel["test"], 5)
        self.assertLess(kernel["median"], 2.0, "predictions have nothing to do with what was measured")

    def test_random_spans_and_repeats(self):
        report, _ = self.profile(f"{BUILD}/bench/vector_add", "--size", "profile1", options=("--devices", "portable:basic", "--spans", "random:5", "--repeat", "2",
                                                                                         "--warm", "--tag", "r"))
        profiled = [sample for sample in self.samples("r") if sample["warm"]]
        self.assertEqual(len([sample for sample in profiled if not sample["first_use"]]), 5)
        self.assertEqual(report["kernels"][0]["samples"], [len(profiled)])

    def test_the_applications_status_is_kept(self):
        report, _ = self.profile("/bin/sh", "-c", "exit 7", status=7)
        self.assertEqual((report["status"], report["kernels"]), (7, []))
        report, _ = self.profile("/bin/sh", "-c", "kill -TERM $$", status=128 + signal.SIGTERM)
        self.assertEqual(self.execute("run", "--", "/nonexistent/program").returncode, 127)
        self.assertEqual(self.execute("run", "--devices", "no-such-device", "--", "/bin/true").returncode, 125)

    def test_a_killed_application_loses_nothing(self):
        script = f"{BUILD}/bench/vector_add --size small >/dev/null && kill -KILL $$"
        report, _ = self.profile("/bin/sh", "-c", script, options=("--devices", "portable:basic", "--tag", "k"), status=137)
        self.assertEqual(report["status"], 137)
        self.assertGreaterEqual(len(self.samples("k")), sum(report["kernels"][0]["samples"]))

    def test_bad_usage(self):
        for words in (("run",), ("run", "--spans", "many", "--", "/bin/true"), ("run", "--repeat", "0", "--", "/bin/true")):
            done = self.execute(*words)
            self.assertEqual(done.returncode, 2, (words, done.stdout, done.stderr))
            self.assertTrue(done.stderr or done.stdout)
        self.db = self.folder  # a folder is no database
        self.assertEqual(self.execute("run", "--", "/bin/true").returncode, 125)

    def test_bad_settings_are_told_before_the_application_runs(self):
        done = subprocess.run([f"{BUILD}/bin/skmd-run", "--devices", "portable:basic", "--", f"{BUILD}/bench/vector_add", "--size", "small"],
                              env={**os.environ, "POCL_DEVICES": "pthread basic", "SKMD_PROFILE_SPANS": "random:none"}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 125)
        self.assertIn("SKMD_PROFILE_SPANS", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
