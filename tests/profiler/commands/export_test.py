#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Where skmd-profile export writes to.

    export_test.py SKMD-PROFILE CURVES
"""
import contextlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from curves import samples_of_curves  # noqa: E402

COMMAND, CURVES = sys.argv[1:3]


class Export(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="skmd-export-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.db, self.curves = (os.path.join(self.folder, name) for name in ("profile.db", "curves.jsonl"))
        with open(self.curves, "w", encoding="utf-8") as file:
            print(json.dumps({"skmd_profile": 1}), file=file)
            for one in samples_of_curves(CURVES, ("vadd",)):
                print(json.dumps(one), file=file)
        self.run_command("import", self.curves)

    def run_command(self, *arguments, status=0):
        done = subprocess.run([COMMAND, "--db", self.db, *arguments], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, status, (arguments, done.stdout[-2000:], done.stderr[-2000:]))
        return done

    def test_what_is_exported_to_a_link_a_pipe_or_standard_output_goes_through_it(self):
        file, link, far, fifo = (os.path.join(self.folder, name) for name in ("file.jsonl", "link", "far", "fifo"))
        self.run_command("export", file)
        with open(file, encoding="utf-8") as text:
            expected = text.read()
        for there in (True, False):  # of a target that is missing, too
            os.makedirs(f"{self.folder}/elsewhere", exist_ok=True)
            for name, target in ((link, "elsewhere/target"), (far, "link")):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(name)
                os.symlink(target, name)
            with contextlib.suppress(FileNotFoundError):
                os.remove(f"{self.folder}/elsewhere/target")
            if there:
                with open(f"{self.folder}/elsewhere/target", "w", encoding="utf-8") as target:
                    target.write("of before")
            self.run_command("export", far)
            self.assertEqual((os.readlink(far), os.readlink(link)), ("link", "elsewhere/target"))
            with open(f"{self.folder}/elsewhere/target", encoding="utf-8") as target:
                self.assertEqual(target.read(), expected)
            self.assertEqual(os.listdir(f"{self.folder}/elsewhere"), ["target"])
        os.mkfifo(fifo)
        with subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE, text=True) as reader:
            self.run_command("export", fifo)
            self.assertEqual(reader.communicate(timeout=60)[0], expected)
        self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))
        for general in ((), ("--json",)):
            done = self.run_command(*general, "export", "-")
            self.assertEqual(done.stdout, expected)
            self.assertIn("samples", done.stderr)
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".") or name == "-"])

    def test_what_cannot_be_exported_is_told(self):
        done = self.run_command("export", f"{self.folder}/none/file", status=1)
        self.assertIn(f"{self.folder}/none/file: cannot be made: No such file or directory", done.stderr)
        done = self.run_command("export", self.folder, status=1)
        self.assertIn(f"{self.folder}: cannot be written: Is a directory", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
