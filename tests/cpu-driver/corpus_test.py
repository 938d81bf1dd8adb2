#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""corpus.py on a small corpus: what is recorded compares equal, and a planted difference of each kind is found.

usage: corpus_test.py SKMD_COMPILE"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus.py")
COMPILER = ""
SMALL = ("--only", "vector_add", "--random", "4", "--isa", "sse", "--isa", "avx2")
VIEWS = 6  # two instruction sets, checked code for one, three texts


def run(*words):
    return subprocess.run([sys.executable, CORPUS, *words], capture_output=True, text=True, check=False)


class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.small = os.path.join(temporary.name, "small")
        cls.recorded = run("record", cls.small, "--compiler", COMPILER, "--jobs", "2", *SMALL)

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.top = temporary.name
        self.record = os.path.join(self.top, "record")

    def make_record(self, compiler, *words):
        return run("record", self.record, "--compiler", compiler, "--jobs", "2", *words)

    def compare(self, compiler, record=None):
        return run("compare", record or self.record, "--compiler", compiler, "--jobs", "2")

    def program(self, name, body):
        """A program of a shell's text that may start the compiler, as "$compiler"."""
        path = os.path.join(self.top, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncompiler='{COMPILER}'\n{body}\n")
        os.chmod(path, 0o755)
        return path

    def test_the_same_compiler_makes_the_same(self):
        self.assertEqual(self.recorded.returncode, 0, self.recorded.stderr)
        self.assertEqual(self.recorded.stdout, f"{2 * VIEWS} outputs of 2 programs recorded\n")
        done = self.compare(COMPILER, self.small)
        self.assertEqual((done.returncode, done.stdout), (0, f"{2 * VIEWS} outputs of 2 programs, 0 differ\n"), done.stderr)

    def test_a_record_of_the_same_is_the_same_file(self):
        stub = self.program("stub", 'echo "$@"')
        texts = []
        for name in ("one", "two"):
            self.record = os.path.join(self.top, name)
            self.assertEqual(self.make_record(stub, "--random", "30", "--seed", "5", "--isa", "sse").returncode, 0)
            with open(f"{self.record}/corpus.json", encoding="utf-8") as file:
                texts.append(file.read())
        self.assertEqual(texts[0], texts[1])
        programs = json.loads(texts[0])["programs"]
        self.assertIn("vector_add", programs)
        self.assertGreaterEqual(len(programs), 16 + 2)

    def test_other_bytes_of_one_output_are_found(self):
        planted = self.program("planted", 'case "$*" in *"--isa avx2 vector_add"*) "$compiler" "$@" | tr "\\000" "\\001" ;; *) exec "$compiler" "$@" ;; esac')
        done = self.compare(planted, self.small)
        self.assertEqual(done.returncode, 1)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 3, done.stdout)
        self.assertTrue(lines[0].startswith("DIFFERS vector_add, code for avx2: other bytes (as many, "), lines[0])
        self.assertIn("--kernel-code --isa avx2 vector_add.cl", lines[1])
        self.assertEqual(lines[2], f"{2 * VIEWS} outputs of 2 programs, 1 differ")

    def test_status_and_messages_are_compared(self):
        self.make_record(self.program("before", "echo text"), "--only", "vector_add", "--random", "0")
        done = self.compare(self.program("after", "echo text; echo why >&2; exit 3"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("DIFFERS vector_add, --merge: exit status 3 instead of 0, other messages\n", done.stdout)

    def test_programs_are_those_of_the_record(self):
        """Not those of the tree, which the change may have changed."""
        copy = self.program("copy", "cat vector_add.cl")
        self.make_record(copy, "--only", "vector_add", "--random", "0")
        self.assertEqual(self.compare(copy).returncode, 0)
        with open(f"{self.record}/vector_add/vector_add.cl", "a", encoding="utf-8") as file:
            file.write("// more\n")
        self.assertEqual(self.compare(copy).returncode, 1)

    def test_wrong_use_is_no_difference(self):
        self.assertEqual(self.make_record(os.path.join(self.top, "absent")).returncode, 2)
        self.assertEqual(self.make_record(COMPILER, "--only", "no_such_kernel").returncode, 2)
        self.assertEqual(self.compare(COMPILER).returncode, 2)  # there is no record yet
        os.mkdir(self.record)
        self.assertEqual(self.make_record(COMPILER).returncode, 2)
        self.assertEqual(os.listdir(self.record), [])


if __name__ == "__main__":
    COMPILER = os.path.abspath(sys.argv.pop(1))
    unittest.main()
