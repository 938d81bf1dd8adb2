#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the workloads answer to good and bad options. Argument: the folder of the workloads."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

FOLDER = sys.argv.pop(1)


def run(*command, **more):
    return subprocess.run([os.path.join(FOLDER, command[0]), *command[1:]], capture_output=True, text=True, **more)


class Options(unittest.TestCase):
    def assert_bad_input(self, said, *command):
        done = run(*command)
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stdout, "")
        self.assertIn(said, done.stderr)

    def test_help_names_every_option(self):
        done = run("vector_add", "--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--size", "--repeat", "--device", "--memory", "--check"):
            self.assertIn(option, done.stdout)

    def test_unknown_size(self):
        self.assert_bad_input("--size", "vector_add", "--size", "huge")

    def test_unknown_option(self):
        self.assert_bad_input("--frobnicate", "vector_add", "--frobnicate")

    def test_no_repetitions(self):
        self.assert_bad_input("--repeat", "vector_add", "--repeat", "0")

    def test_repeat_is_no_number(self):
        self.assert_bad_input("--repeat", "vector_add", "--repeat", "twice")

    def test_unknown_memory(self):
        for program in ("vector_add", "iterate"):
            self.assert_bad_input("--memory: wired not in {pageable,pinned}", program, "--memory", "wired")

    def test_device_without_colon(self):
        self.assert_bad_input("expected platform:device", "vector_add", "--device", "portable")

    def test_no_such_device_lists_those_that_exist(self):
        self.assert_bad_input("Portable Computing Language:", "vector_add", "--device", "no such platform:0")

    def test_device_index_out_of_range(self):
        self.assert_bad_input("no such device", "vector_add", "--device", "portable:99")

    def test_no_driver_at_all(self):
        with tempfile.TemporaryDirectory() as empty:
            done = run("vector_add", env={**os.environ, "OCL_ICD_VENDORS": empty})
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("no OpenCL device", done.stderr)

    def test_device_by_part_of_its_name(self):
        self.assertEqual(run("vector_add", "--device", "PORTABLE:pthread").returncode, 0)

    def test_device_by_index(self):
        self.assertEqual(run("vector_add", "--device", "portable:0").returncode, 0)

    def test_without_check_nothing_is_claimed(self):
        answer = json.loads(run("vector_add").stdout)
        self.assertEqual(answer["checked"], "none")

    def test_iterate_refuses_sizes_that_do_not_fit(self):
        self.assert_bad_input("multiple of 256", "iterate", "--kernel", "axpy", "--size", "1000")
        self.assert_bad_input("multiple of 16", "iterate", "--kernel", "stencil3d", "--size", "50")
        self.assert_bad_input("multiple of 256", "iterate", "--kernel", "nbody", "--size", "0")
        self.assert_bad_input("--steps", "iterate", "--steps", "0")
        self.assert_bad_input("--kernel", "iterate", "--kernel", "spmv")

    def test_programs_can_be_moved_elsewhere(self):
        with tempfile.TemporaryDirectory() as elsewhere:
            moved = shutil.copy(os.path.join(FOLDER, "vector_add"), elsewhere)
            done = subprocess.run([moved, "--check"], capture_output=True, text=True, cwd=elsewhere)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
