#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a process knows of kernels that former ones measured, over the stub driver's devices.

    known_kernels_test.py BUILD
"""
import glob
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

BUILD = sys.argv.pop(1)
HERE = f"{BUILD}/tests/intercept/driver"
GROUPS = 1024
SLOW = 10.0  # seconds of a launch as samples have it that were not measured: any split pays, and any build is waited for


class KnownKernels(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="skmd-known-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.db = self.file("profile.db")

    def file(self, name):
        return os.path.join(self.folder, name)

    def app(self, launches, loaded=None, database="", library=f"{BUILD}/lib/libskmd.so", **variables):
        """The statistics of a process. `loaded`: it waits for so many samples before its first launch, or for a "problem"."""
        vendors = self.file("vendors")
        os.makedirs(vendors, exist_ok=True)
        with open(f"{vendors}/skmd.icd", "w", encoding="utf-8") as icd:
            icd.write(library + "\n")
        stats = os.path.join(tempfile.mkdtemp(dir=self.folder), "stats.json")  # the application waits for what is in it
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SKMD_", "STUB_"))}
        environment |= {"OCL_ICD_VENDORS": vendors, "SKMD_VENDORS": f"{BUILD}/tests/stub-icd/vendors", "SKMD_TEST_CPU_DRIVER": "0",
                        "STUB_DEVICES": "gpu,accelerator", "STUB_DELAY_US": "0", "SKMD_CACHE_DIR": self.file("cache"),
                        "SKMD_STATS": stats, "SKMD_PROFILE_DB": database, "SKMD_PROFILE_DECIDES": "1"} | variables
        if not environment["SKMD_PROFILE_DB"]:
            del environment["SKMD_PROFILE_DB"]
        words = [f"{HERE}/known_kernels_app", str(GROUPS), str(launches)] + ([] if loaded is None else [str(loaded)])
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(stats, encoding="utf-8") as text:
            document = json.load(text)
        self.assertEqual([kernel["name"] for kernel in document["kernels"]], ["stub_count"])
        return document["kernels"][0], document["profile"]

    def command(self, *words, database=None):
        done = subprocess.run([f"{BUILD}/bin/skmd-profile", "--db", database or self.db, *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def measure(self):
        """Samples of a process, as lines of a file: one for each device at least."""
        measured, exported = self.file("measured.db"), self.file("exported.jsonl")
        self.app(20, database=measured, SKMD_PARTITION="equal")
        self.command("export", exported, database=measured)
        with open(exported, encoding="utf-8") as lines:
            head, *samples = [json.loads(line) for line in lines]
        return head, [sample for sample in samples if sample["kernel"] == "stub_count" and not sample["first_use"]]

    def make_up(self, driver=None, name="made-up"):
        """A file in which each of the devices takes SLOW seconds for a launch, in proportion to the groups."""
        head, samples = self.measure()
        lines = [json.dumps(head)]
        for device in sorted({sample["device"] for sample in samples}):
            sample = next(sample for sample in samples if sample["device"] == device)
            for groups in (8, 16, 32, 64, 128, 256, 512, 768, 1024):
                own = sample | {"first": 0, "last": groups, "kernel_ns": int(SLOW * 1e9 * groups / GROUPS), "driver": driver or sample["driver"]}
                lines.append(json.dumps(own))
        made = self.file(name + ".jsonl")
        with open(made, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return made

    def assert_split_at_once(self, kernel, source):
        self.assertEqual(kernel["first_split"], 1, kernel)
        self.assertEqual(kernel["split_launches"], 1)
        self.assertEqual(kernel["model"]["source"], source)
        for groups in kernel["groups"]:
            self.assertAlmostEqual(groups / GROUPS, 0.5, delta=0.05)

    def test_what_one_process_measures_the_next_one_knows(self):
        first, profile = self.app(20, database=self.db, SKMD_PARTITION="equal")
        self.assertEqual(profile["file"], self.db)
        self.assertEqual(profile["loaded"], 0)
        self.assertGreater(profile["written"], 0)
        self.assertEqual(first["model"]["source"], "none")
        self.command("show")  # takes in what was measured
        second, profile = self.app(1, loaded=2, database=self.db, SKMD_PARTITION="linear")  # which builds for all devices first
        self.assertEqual(second["model"]["source"], "database")
        self.assertGreater(second["predicted_seconds"], 0)
        self.assertGreater(profile["loaded"], 0)
        self.assertIsNone(profile["problem"])

    def test_skmd_run_takes_in_what_the_application_measured(self):
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SKMD_", "STUB_"))}
        environment |= {"SKMD_VENDORS": f"{BUILD}/tests/stub-icd/vendors", "SKMD_TEST_CPU_DRIVER": "0", "STUB_DEVICES": "2", "STUB_DELAY_US": "0"}

        def run(*options):
            folder = tempfile.mkdtemp(dir=self.folder)
            words = [f"{BUILD}/bin/skmd-run", "--cache-dir", folder, *options, "--", f"{HERE}/known_kernels_app", str(GROUPS), "20"]
            done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=240)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return sorted(name for name in os.listdir(folder) if name.startswith("profile.db"))

        self.assertEqual(run(), ["profile.db"])
        self.assertEqual(run("--profile-db", "off"), [])
        self.assertEqual(run("--profile-db", "read:" + self.db), [])
        self.assertEqual(run("--profile-db", self.db), [])
        self.assertEqual(sorted(name for name in os.listdir(self.folder) if name.startswith("profile.db")), ["profile.db"])
        os.chmod(self.folder, 0o500)  # nothing can be kept, which is no failure of the application
        self.addCleanup(os.chmod, self.folder, 0o700)
        environment["SKMD_CACHE_DIR"] = self.file("none")
        words = [f"{BUILD}/bin/skmd-run", "--", f"{HERE}/known_kernels_app", str(GROUPS), "3"]
        self.assertEqual(subprocess.run(words, env=environment, capture_output=True, check=False, timeout=240).returncode, 0)

    def test_a_known_kernel_is_split_at_its_first_launch(self):
        self.command("import", self.make_up())
        for partition in ("auto", "linear"):
            kernel, profile = self.app(1, loaded=18, database=self.db, SKMD_PARTITION=partition)
            self.assert_split_at_once(kernel, "database")
            self.assertEqual(profile["loaded"], 18)
        kernel, _ = self.app(1, loaded=18, database=self.db, SKMD_PROFILE_DECIDES="")  # two with memory of their own
        self.assert_split_at_once(kernel, "database")
        kernel, profile = self.app(1, database=self.db, SKMD_PROFILE_DECIDES="0")
        self.assertEqual((kernel["first_split"], kernel["model"]["source"], profile["loaded"]), (0, "none", 0))
        kernel, profile = self.app(1, loaded=18, database="read:" + self.db)
        self.assert_split_at_once(kernel, "database")
        self.assertEqual(profile["written"], 0)
        kernel, profile = self.app(1, database="off")
        self.assertEqual((kernel["first_split"], kernel["model"]["source"]), (0, "none"))
        self.assertEqual(profile, {"file": None, "loaded": 0, "written": 0, "problem": None})

    def test_devices_that_use_host_memory_are_known_without_being_asked_for(self):
        empty = self.file("none installed")
        os.makedirs(empty)
        two = {"SKMD_TEST_CPUS": "best:1,best:1", "SKMD_TEST_CPU_DRIVER": "1", "SKMD_VENDORS": empty, "SKMD_PROFILE_DECIDES": ""}
        self.app(20, database=self.db, SKMD_PARTITION="equal", **two)
        self.command("show")  # takes in what was measured
        self.app(1, loaded=4, database=self.db, **two)  # which waits for them
        _, profile = self.app(1, database=self.db, **two | {"SKMD_PROFILE_DECIDES": "0"})
        self.assertEqual(profile["loaded"], 0)

    def test_beside_others_devices_that_use_host_memory_are_not_known(self):
        empty = self.file("none installed")
        os.makedirs(empty)
        own = {"SKMD_TEST_CPU_DRIVER": "1", "SKMD_VENDORS": empty, "SKMD_PROFILE_DECIDES": ""}
        three = own | {"SKMD_TEST_CPUS": "best:1@discrete,best:1@discrete,sse:1"}
        self.app(20, database=self.db, SKMD_PARTITION="equal", **three)
        self.command("show")  # takes in what was measured
        _, everything = self.app(1, loaded=1, database=self.db, **three | {"SKMD_PROFILE_DECIDES": "1"})
        _, apart = self.app(1, loaded=1, database=self.db, **three)
        self.assertLess(apart["loaded"], everything["loaded"])
        kernel, alone = self.app(20, database=self.db, **three | {"SKMD_TEST_CPUS": "best:1@discrete,best:1"})
        self.assertEqual((kernel["model"]["source"] == "database", alone["loaded"]), (False, 0))

    def test_the_default_lies_in_the_cache_folder(self):
        _, profile = self.app(20)
        self.assertEqual(profile["file"], self.file("cache/profile.db"))
        self.assertGreater(profile["written"], 0)
        left = [name for name in os.listdir(self.file("cache")) if name.startswith("profile.db")]
        self.assertEqual(len(left), 1, left)
        self.assertTrue(left[0].startswith("profile.db.samples-"), "the application opened the database")

    def test_what_ships_is_used_and_gives_way(self):
        made, own = self.make_up(driver="an older one"), self.make_up(name="own")
        tree = self.file("tree")
        os.makedirs(f"{tree}/lib")
        os.makedirs(f"{tree}/share/skmd/profiles")
        library = shutil.copy(f"{BUILD}/lib/libskmd.so", f"{tree}/lib/libskmd.so.0")
        os.symlink(f"{BUILD}/libexec", f"{tree}/libexec")
        shutil.copy(made, f"{tree}/share/skmd/profiles")
        missing = "read:" + self.file("none.db")
        for database in (self.db, self.db, missing):
            kernel, profile = self.app(1, loaded=18, database=database, library=library)
            self.assert_split_at_once(kernel, "shipped")
            self.assertEqual(profile["problem"], f"no such file: SKMD_PROFILE_DB={missing}" if database == missing else None)
        self.assertFalse(os.path.exists(self.file("none.db")))
        kernel, _ = self.app(1, database="off", library=library)
        self.assertEqual(kernel["model"]["source"], "none")
        shown = json.loads(self.command("--json", "show"))
        self.assertEqual({device["origin"] for device in shown["devices"] if device["driver"] == "an older one"}, {"shipped"})
        # Samples of these very devices.
        self.command("import", own)
        kernel, _ = self.app(1, loaded=18, database=self.db, library=library)
        self.assert_split_at_once(kernel, "database")

    def test_the_application_never_notices_a_database_that_cannot_be_used(self):
        good = self.file("good.db")
        self.command("import", self.make_up())
        shutil.move(self.db, good)
        bad = self.file("bad.db")

        def told():
            kernel, profile = self.app(5, database=bad)
            self.assertEqual(kernel["launches"], 5)
            return profile

        with open(bad, "wb") as file:
            file.write(b"x" * 4096)
        told()
        # A process that lives for ten seconds, as on a slow machine, may begin anew beside what it sets aside.
        kept = [bad, *glob.glob(f"{bad}.damaged-*")]
        self.assertIn(b"x" * 4096, [pathlib.Path(file).read_bytes() for file in kept], "the application changed it")
        for file in kept:
            os.remove(file)
        os.mkdir(bad)
        told()
        os.rmdir(bad)
        shutil.copy(good, bad)
        with sqlite3.connect(bad) as connection:
            connection.execute("PRAGMA user_version=1000")
        connection.close()
        told()
        shutil.copy(good, bad)
        connection = sqlite3.connect(bad)
        connection.execute("BEGIN EXCLUSIVE")
        told()
        connection.close()
        os.chmod(bad, 0)
        told()

    def test_that_nothing_can_be_kept_is_told(self):
        log = self.file("log")
        reason = "no file can be made beside the database: No such file or directory"
        kernel, profile = self.app(5, loaded="problem", database="/proc/nothing/x.db", SKMD_LOG=f"warn:{log}")
        self.assertEqual(kernel["launches"], 5)
        self.assertEqual(profile, {"file": "/proc/nothing/x.db", "loaded": 0, "written": 0, "problem": reason})
        lines = pathlib.Path(log).read_text(encoding="utf-8").splitlines()
        self.assertEqual([line.split("profile database: ")[-1] for line in lines], [reason])

    def test_that_there_is_nothing_to_read_is_told(self):
        log, database = self.file("log"), "read:" + self.file("none.db")
        problem = f"no such file: SKMD_PROFILE_DB={database}"
        _, profile = self.app(1, loaded="problem", database=database, SKMD_LOG=f"warn:{log}")
        self.assertEqual(profile, {"file": self.file("none.db"), "loaded": 0, "written": 0, "problem": problem})
        lines = pathlib.Path(log).read_text(encoding="utf-8").splitlines()
        self.assertEqual([line.split("profile database: ")[-1] for line in lines], [problem])
        # The default file is not there before a first use.
        _, profile = self.app(1, database="read:")
        self.assertIsNone(profile["problem"])


if __name__ == "__main__":
    unittest.main()
