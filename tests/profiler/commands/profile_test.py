#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""skmd-profile as its users see it: exit statuses, answers, and what becomes of files.

    profile_test.py SKMD-PROFILE CURVES VENDORS

VENDORS is the folder of OpenCL vendors whose devices count as the machine's.
"""
import contextlib
import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from curves import samples_of_curves  # noqa: E402

COMMAND, CURVES, VENDORS = sys.argv[1:4]
# Without the transposition, whose profiled sizes fit a cache that its real one does not.
COUNTS = ("vadd", "bs", "mm", "nb", "red", "box", "bin")


class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="skmd-profile-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.db = os.path.join(self.folder, "profile.db")
        self.curves = os.path.join(self.folder, "curves.jsonl")
        with open(self.curves, "w", encoding="utf-8") as file:
            print(json.dumps({"skmd_profile": 1}), file=file)
            for one in samples_of_curves(CURVES, COUNTS):
                print(json.dumps(one), file=file)

    def run_command(self, *arguments, status=0, database=True, **variables):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("SKMD_")}
        environment.update(SKMD_VENDORS=VENDORS, SKMD_TEST_CPU_DRIVER="0")
        environment.update(variables)
        words = [COMMAND, *(["--db", self.db] if database else []), *arguments]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
        self.assertEqual(done.returncode, status, (words, done.stdout[-2000:], done.stderr[-2000:]))
        return done

    def answer(self, *arguments, **options):
        return json.loads(self.run_command("--json", *arguments, **options).stdout)

    def test_importing_twice_changes_nothing(self):
        first = self.answer("import", self.curves)["files"][0]
        self.assertEqual(first["new"], first["samples"])
        before = self.answer("show")
        self.assertEqual(self.answer("import", self.curves)["files"][0]["new"], 0)
        self.assertEqual(self.answer("show")["kernels"], before["kernels"])

    def test_what_is_exported_comes_back_the_same(self):
        self.run_command("import", self.curves)
        one, two = (os.path.join(self.folder, name) for name in ("one.jsonl", "two.jsonl"))
        self.run_command("export", one)
        os.remove(self.db)
        self.run_command("import", one)
        self.run_command("export", two)
        with open(one, encoding="utf-8") as first, open(two, encoding="utf-8") as second:
            lines = first.read().splitlines()
            self.assertEqual(lines, second.read().splitlines())
        head = json.loads(lines[0])
        self.assertEqual(sorted(head), ["command", "commit", "date", "devices", "driver", "machine", "processor", "skmd_profile", "tags"])
        self.assertEqual(head["tags"], ["paper", "profile1", "profile2"])
        told = self.answer("import", one)["files"][0]["head"]
        self.assertEqual(told, {key: value for key, value in head.items() if key != "skmd_profile"})
        self.assertIn(head["date"], self.run_command("import", one).stdout)
        self.assertEqual(lines[1:], sorted(lines[1:]))
        self.assertEqual(os.listdir(self.folder).count("two.jsonl"), 1)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".")])

    def test_evaluate_predicts_the_real_size_from_two_profiles(self):
        self.run_command("import", self.curves)
        answer = self.answer("evaluate", "--train", "profile1,profile2", "--test", "paper")
        self.assertEqual(answer["version"], 1)
        self.assertEqual(sorted(answer["devices"][0]), ["coverage80", "device", "median", "p90", "points"])
        self.assertLess(answer["devices"][0]["median"], 0.05)
        self.assertEqual(len(answer["kernels"]), len(COUNTS))
        for kernel in answer["kernels"]:
            self.assertEqual(sorted(kernel), ["coverage80", "device", "l2_seconds", "median", "models", "name", "p90", "program", "test", "train"])
            self.assertEqual(kernel["train"], 32)
            self.assertLess(kernel["median"], 0.15, kernel)
            self.assertLess(kernel["median"], kernel["models"]["paper"])
        with_points = self.answer("evaluate", "--train", "profile1,profile2", "--test", "paper", "--points")
        for kernel in with_points["kernels"]:
            points = kernel.pop("points")
            self.assertEqual(len(points), kernel["test"])
            errors = sorted(abs(predicted - measured) / measured for _, _, measured, predicted, _, _ in points)
            self.assertAlmostEqual(errors[(len(errors) + 1) // 2 - 1], kernel["median"])
        self.assertEqual(with_points, answer)
        text = self.run_command("evaluate", "--train", "profile1,profile2", "--test", "paper").stdout
        self.assertIn("H100: ", text)

    def test_evaluate_says_what_is_missing(self):
        self.run_command("import", self.curves)
        for train, test in (("profil1", "paper"), ("profile2,profil1", "paper"), ("profile2", "profil1")):
            done = self.run_command("evaluate", "--train", train, "--test", test, status=1)
            self.assertIn('tag "profil1" is not known: is "profile1" meant?', done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertIn('tag "nothing" is not known (', self.run_command("evaluate", "--train", "nothing", "--test", "paper", status=1).stderr)
        self.run_command("evaluate", "--train", ",", "--test", "paper", status=2)
        self.run_command("evaluate", "--train", "a", status=2)

    def test_fit_shows_terms(self):
        self.run_command("import", self.curves)
        for model in ("arctan", "paper", "rate"):
            answer = self.answer("fit", "--model", model)
            self.assertEqual({kernel["name"] for kernel in answer["kernels"]}, set(COUNTS))
            for kernel in answer["kernels"]:
                self.assertEqual(kernel["model"]["kind"], model)
                self.assertTrue(kernel["model"]["terms"])
        self.assertIn("\"atan\"", self.run_command("fit", "--model", "atan", status=2).stderr)

    def test_kernels_whose_work_memory_decides_go_by_a_rate(self):
        plain = self.curves
        self.run_command("import", plain)
        before = self.answer("predict", "--kernel", "bs")["devices"][0]
        os.remove(self.db)
        with open(plain, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        with open(plain, "w", encoding="utf-8") as file:
            for line in lines:
                print(json.dumps(line | ({"data_decides_work": True} if line.get("kernel") == "bs" else {})), file=file)
        self.run_command("import", plain)
        for model in ("arctan", "paper", "rate"):
            decided = {kernel["name"] for kernel in self.answer("fit", "--model", model)["kernels"] if kernel["model"]["data_decides"]}
            self.assertEqual(decided, {"bs"})
        text = self.run_command("fit").stdout
        self.assertEqual(text.count("values in memory decide"), 1)
        self.assertTrue(self.answer("show", "bs")["kernels"][0]["devices"][0]["model"]["data_decides"])
        answer = self.answer("predict", "--kernel", "bs")
        after = answer["devices"][0]
        self.assertIn("values in memory decide", answer["why"])
        self.assertGreater(after["high"] / after["seconds"], 1.49)
        self.assertLess(before["high"] / before["seconds"], 1.3)

    def import_two_devices(self):
        """The curves, and the same from a device that takes three times as long."""
        with open(self.curves, "a", encoding="utf-8") as file:
            for one in list(samples_of_curves(CURVES, COUNTS)):
                one["device"] = "T4"
                one["kernel_ns"] *= 3
                print(json.dumps(one), file=file)
        self.run_command("import", self.curves)

    def test_predict_has_every_key_and_asks_the_partitioner(self):
        self.import_two_devices()
        answer = self.answer("predict", "--kernel", "bs")
        self.assertEqual(sorted(answer), ["devices", "groups", "plans", "version", "why"])
        self.assertEqual([device["device"] for device in answer["devices"]], ["H100", "T4"])
        for device in answer["devices"]:
            self.assertEqual(sorted(device), ["device", "high", "low", "seconds", "source"])
            self.assertEqual(device["source"], "imported")
            self.assertTrue(0 < device["low"] < device["seconds"] < device["high"])
        self.assertEqual(sorted(answer["plans"]), ["auto", "linear", "paper", "single"])
        for plan in answer["plans"].values():
            self.assertEqual(sorted(plan), ["groups", "seconds"])
            self.assertEqual(sum(plan["groups"]), answer["groups"])
        self.assertAlmostEqual(answer["plans"]["auto"]["groups"][0] / answer["groups"], 0.75, delta=0.03)
        self.assertEqual(answer["plans"]["single"]["groups"], [answer["groups"], 0])
        self.assertLess(answer["plans"]["auto"]["seconds"], answer["plans"]["single"]["seconds"])
        with open(CURVES, encoding="utf-8") as file:
            largest = json.load(file)["data"]["bs"][2]
        self.assertEqual(answer["groups"], largest["groups"])

    def test_predict_takes_other_sizes_and_spans(self):
        self.import_two_devices()
        whole = self.answer("predict", "--kernel", "vadd")
        larger = self.answer("predict", "--kernel", "vadd", "--global", str(256 * 4 * whole["groups"]))
        self.assertEqual(larger["groups"], 4 * whole["groups"])
        self.assertGreater(larger["devices"][0]["seconds"], 3 * whole["devices"][0]["seconds"])
        self.assertIn("known sizes", larger["why"])
        self.assertGreater(larger["devices"][0]["high"] / larger["devices"][0]["seconds"], whole["devices"][0]["high"] / whole["devices"][0]["seconds"])
        span = self.answer("predict", "--kernel", "vadd", "--groups", f"0:{whole['groups'] // 2}")
        self.assertEqual(sum(span["plans"]["auto"]["groups"]), whole["groups"] // 2)
        self.assertLess(span["devices"][0]["seconds"], whole["devices"][0]["seconds"])
        text = self.run_command("predict", "--kernel", "vadd", "--bytes", "0=1000", "--local", "64").stdout
        self.assertIn("in groups of 64", text)
        self.assertIn("  single ", text)

    def test_predict_says_what_cannot_be_asked(self):
        self.run_command("import", self.curves)
        self.assertIn("is \"vadd\" meant?", self.run_command("predict", "--kernel", "vadf", status=1).stderr)
        self.assertIn("argument 5 is no integer", self.run_command("predict", "--kernel", "vadd", "--arg", "5=1", status=1).stderr)
        for option, value in (("--global", "1000"), ("--global", "x"), ("--groups", "5"), ("--groups", "7:3"), ("--arg", "5"), ("--bytes", "0=-1")):
            done = self.run_command("predict", "--kernel", "vadd", option, value, status=2)
            self.assertIn(value.split("=")[0], done.stderr)
        self.run_command("predict", status=2)

    def test_show_has_every_key(self):
        self.run_command("import", self.curves)
        answer = self.answer("show")
        self.assertEqual(sorted(answer), ["bytes", "devices", "file", "kernels", "links", "schema", "version"])
        self.assertEqual(answer["devices"], [{"platform": "NVIDIA CUDA", "name": "H100", "driver": "580", "units": 132, "origin": "imported", "here": False,
                                              "calibration": None}])
        vadd = self.answer("show", "vadd", "--samples")
        self.assertEqual([kernel["name"] for kernel in vadd["kernels"]], ["vadd"])
        device = vadd["kernels"][0]["devices"][0]
        self.assertEqual(sorted(device), ["device", "form", "model", "samples", "seen", "sizes"])
        self.assertEqual(device["sizes"], 3)
        self.assertEqual(device["samples"], len(vadd["samples"]))
        self.assertIn("kernel vadd on H100", self.run_command("show").stdout)
        self.assertIn("is \"vadd\" meant?", self.run_command("show", "vad", status=1).stderr)

    def test_what_came_with_us_is_shown_and_gives_way_to_imports(self):
        shipped = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "profiles", "nvidia-h100.jsonl")
        self.run_command("import", shipped)
        imported = self.answer("show")
        with contextlib.closing(sqlite3.connect(self.db)) as database, database:
            for table in ("samples", "device_calibrations", "link_calibrations"):
                database.execute(f"UPDATE {table} SET origin='shipped'")
        answer = self.answer("show")
        self.assertGreater(len(imported["links"]), 0)
        self.assertEqual([{**link, "origin": "imported"} for link in answer["links"]], imported["links"])
        self.assertEqual({device["origin"] for device in answer["devices"]}, {"shipped"})
        self.assertEqual([device["calibration"] for device in answer["devices"]], [device["calibration"] for device in imported["devices"]])
        self.assertIn("calibration, shipped:", self.run_command("show").stdout)
        self.run_command("import", shipped)
        self.assertEqual(self.answer("show")["links"], imported["links"])

    def test_a_device_without_samples_is_not_shown(self):
        self.run_command("import", self.curves)
        for kernel in COUNTS:
            self.run_command("prune", "--kernel", kernel)
        self.assertEqual(self.answer("show")["devices"], [])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not there")
    def test_show_draws_a_panel_for_each_kernel_and_device(self):
        self.import_two_devices()
        picture = os.path.join(self.folder, "all.svg")
        self.run_command("show", "--plot", picture)
        names = {element.tag.rpartition("}")[2] for element in ElementTree.parse(picture).iter()}
        self.assertTrue({"svg", "path"} <= names, names)
        with open(picture, encoding="utf-8") as file:
            text = file.read()
        # Text is drawn as shapes, with the words as comments.
        for name in COUNTS:
            for device in ("H100", "T4"):
                self.assertIn(f"<!-- {name} on {device} -->", text)
        self.run_command("show", "vadd", "--plot", picture)
        with open(picture, encoding="utf-8") as file:
            self.assertNotIn("<!-- mm on", file.read())
        self.assertEqual(sorted(os.listdir(self.folder)), ["all.svg", "curves.jsonl", "profile.db"])

    def test_show_says_why_a_picture_cannot_be_drawn(self):
        self.run_command("import", self.curves)
        nowhere = os.path.join(self.folder, "none", "picture.svg")
        without = os.path.join(self.folder, "without")
        os.makedirs(os.path.join(without, "matplotlib"))
        with open(os.path.join(without, "matplotlib", "__init__.py"), "w", encoding="utf-8") as file:
            print("raise ImportError('not here')", file=file)
        done = self.run_command("show", "--plot", nowhere, status=1, PYTHONPATH=without)
        self.assertIn("install python3-matplotlib", done.stderr)
        if importlib.util.find_spec("matplotlib"):
            self.assertIn(nowhere + " cannot be drawn", self.run_command("show", "--plot", nowhere, status=1).stderr)
            self.assertIn("(TMPDIR)", self.run_command("show", "--plot", nowhere, status=1, TMPDIR="/nowhere").stderr)
        self.run_command("prune", "--older", "0")
        self.assertIn("no samples to draw", self.run_command("show", "--plot", nowhere, status=1).stderr)

    def test_merge_takes_another_database_in(self):
        self.run_command("import", self.curves)
        other, self.db = self.db, os.path.join(self.folder, "second.db")
        self.assertGreater(self.answer("merge", other)["files"][0]["new"], 0)
        self.assertEqual(self.answer("merge", other)["files"][0]["new"], 0)
        self.assertEqual([device["origin"] for device in self.answer("show")["devices"]], ["imported"])
        self.run_command("merge", "/nowhere.db", status=1)

    def test_merge_carries_what_was_seen(self):
        with open(self.curves, encoding="utf-8") as file:
            one = json.loads(file.readlines()[1])
        many = os.path.join(self.folder, "many.jsonl")
        with open(many, "w", encoding="utf-8") as file:
            print(json.dumps({"skmd_profile": 1}), file=file)
            for i in range(300):
                print(json.dumps({**one, "kernel": "many", "kernel_ns": 1000 + i}), file=file)
        self.run_command("import", many)

        def seen():
            return [(device["samples"], device["seen"]) for kernel in self.answer("show")["kernels"] for device in kernel["devices"]]

        self.assertEqual(seen(), [(256, 300)])
        self.assertEqual(self.answer("import", many)["files"][0]["new"], 0)
        self.assertEqual(seen(), [(256, 300)])
        other, self.db = self.db, os.path.join(self.folder, "second.db")
        for _ in range(2):
            self.run_command("merge", other)
            self.assertEqual(seen(), [(256, 300)])
        self.assertEqual(self.answer("check")["clean"], True)

    def leave_half_written(self):
        """Kills a writer whose pages are in the file before its commit."""
        writer = ("import os, signal, sqlite3, sys\n"
                  "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                  "connection.execute('PRAGMA cache_size=1')\n"
                  "connection.execute('BEGIN')\n"
                  "connection.execute(\"UPDATE samples SET line=''\")\n"
                  "connection.execute('CREATE TABLE filler AS SELECT a.*, hex(randomblob(99)) FROM samples a')\n"
                  "os.kill(os.getpid(), signal.SIGKILL)\n")
        subprocess.run([sys.executable, "-c", writer, self.db], check=False)
        self.assertTrue(os.path.exists(self.db + "-journal"))

    def test_readers_of_a_half_written_database_say_what_to_do(self):
        self.run_command("import", self.curves)
        before = self.answer("show")["kernels"]
        self.leave_half_written()
        for done in (self.run_command("show", status=1),
                     self.run_command("show", database=False, status=1, SKMD_PROFILE_DB="read:" + self.db)):
            self.assertIn(f"skmd-profile --db {self.db} check --repair", done.stderr)
        self.assertEqual(self.run_command("check", "--repair").stdout, "clean\n")
        self.assertEqual(self.answer("show")["kernels"], before)

    def test_prune_needs_a_condition_and_known_names(self):
        self.run_command("import", self.curves)
        self.run_command("prune", status=2)
        self.assertIn("is \"vadd\" meant?", self.run_command("prune", "--kernel", "vaddd", status=1).stderr)
        gone = self.answer("prune", "--kernel", "vadd")["removed"]
        self.assertGreater(gone, 100)
        self.assertEqual(self.answer("prune", "--device", "H100", "--older", "1")["removed"] > 100, True)
        self.assertEqual(sum(device["samples"] for kernel in self.answer("show")["kernels"] for device in kernel["devices"]), 0)

    def test_check_and_a_damaged_file(self):
        self.run_command("import", self.curves)
        self.assertEqual(self.answer("check")["clean"], True)
        with open(self.db, "r+b") as file:
            file.write(b"not a database any more")
        self.run_command("check", status=1)
        self.assertTrue(os.path.exists(self.db))
        self.assertIn("is kept as", self.run_command("check", "--repair").stderr)
        self.assertEqual(self.answer("check")["clean"], True)
        self.assertTrue([name for name in os.listdir(self.folder) if name.startswith("profile.db.damaged-")])

    def test_repair_removes_a_changed_sample(self):
        self.run_command("import", self.curves)
        with contextlib.closing(sqlite3.connect(self.db)) as connection, connection:
            connection.execute("UPDATE samples SET line='{}' WHERE id=1")
        answer = self.answer("check", status=1)
        self.assertEqual((answer["clean"], len(answer["problems"])), (False, 1))
        self.assertIn("--repair", self.run_command("check", status=1).stderr)
        answer = self.answer("check", "--repair")
        self.assertEqual((answer["clean"], answer["problems"], answer["removed"]), (True, [], 1))
        self.assertEqual(self.run_command("check").stdout, "clean\n")

    def test_a_wrong_file_is_named_with_its_line_and_nothing_is_taken_in(self):
        with open(self.curves, "a", encoding="utf-8") as file:
            print('{"kernel":"x","device":"y","first":3,"last":1}', file=file)
        with open(self.curves, encoding="utf-8") as file:
            last = len(file.readlines())
        done = self.run_command("import", self.curves, status=1)
        self.assertIn(f"line {last}: ", done.stderr)
        self.assertFalse(os.path.exists(self.db))
        self.assertIn("skmd-profile export", self.run_command("import", __file__, status=1).stderr)

    def test_unknown_commands_and_options(self):
        self.assertIn("is \"evaluate\" meant?", self.run_command("evalute", status=2).stderr)
        self.run_command(status=2)
        self.run_command("show", "--nonsense", status=2)
        for words, meant in ((("fit", "--modl", "rate"), "--model"), (("--jsn", "show"), "--json"), (("show", "--sample"), "--samples"),
                             (("evaluate", "--trian", "a", "--test", "b"), "--train"), (("predict", "--kernal=a"), "--kernel")):
            done = self.run_command(*words, status=2)
            self.assertIn(f'is "{meant}" meant?', done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn('is "arctan" meant?', self.run_command("fit", "--model", "arctn", status=2).stderr)
        # What comes behind -- is the application's.
        self.assertNotIn("is not known", self.run_command("run", "--repeat", "x", "--", "true", "--modl", status=2).stderr)
        self.assertIn("import", self.run_command("--help").stdout)

    def test_where_the_database_is(self):
        self.run_command("import", self.curves)
        self.assertTrue(self.run_command("show", database=False, SKMD_PROFILE_DB=self.db).stdout)
        self.assertTrue(self.run_command("show", database=False, SKMD_CACHE_DIR=self.folder).stdout)
        self.assertIn("off", self.run_command("show", database=False, status=1, SKMD_PROFILE_DB="off").stderr)
        self.run_command("show", database=False, SKMD_PROFILE_DB="read:" + self.db)
        self.run_command("import", self.curves, database=False, status=1, SKMD_PROFILE_DB="read:" + self.db)
        done = self.run_command("show", database=False, status=1, SKMD_PROFILE_DB=self.folder + "/none.db")
        self.assertIn("is not there", done.stderr)
        answer = json.loads(self.run_command("--json", "show", database=False, status=1, SKMD_PROFILE_DB=self.folder + "/none.db").stdout)
        self.assertIn("is not there", answer["error"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
