#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of variables against small trees with one planted fault each."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_variables  # noqa: E402
import redraw_options  # noqa: E402
import tree  # noqa: E402

DEFINITIONS = '''// SPDX
SKMD_VARIABLE(kOne, "SKMD_ONE", user, text, "--one", "X", "a |word", "", "one "
              "thing", "")
'''
SOUND = {
    "profiler/settings/options.def": DEFINITIONS.replace("|", ""),
    "intercept/icd.cpp": "read(settings::kOne);  // SKMD_ANYTHING is a macro\nSKMD_ANYTHING(1)\n#define SKMD_ANYTHING(x)\n",
    "CMakeLists.txt": 'option(SKMD_BUILT "" ON)\nset(SKMD_CHOSEN "" CACHE STRING "")\nset(SKMD_LOCAL 1)\n',
    "docs/guide.md": "`SKMD_ONE`, and of CMake `SKMD_BUILT` and `SKMD_CHOSEN`; `SKMD_ANYTHING`\n",
}


def faults_of(changes):
    with tree.planted({**SOUND, **changes}) as root:
        return check_variables.check(root, redraw_options.read(root))


class Variables(unittest.TestCase):
    def found(self, path, text, words):
        faults = faults_of({path: text})
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(words, faults[0])
        self.assertTrue(faults[0].startswith(path), faults[0])

    def test_a_sound_tree_has_no_fault(self):
        self.assertEqual(faults_of({}), [])

    def test_code_that_reads_what_is_not_declared(self):
        for path, text in (("cpu-driver/a.cpp", 'getenv("SKMD_TWO")'), ("tests/a.py", "os.environ['SKMD_TWO']"),
                           ("scripts/a.sh", "echo ${SKMD_TWO:-}"), ("scripts/a.sh", "SKMD_TWO=1 run"), (".ci/run", "echo $SKMD_TWO")):
            self.found(path, text, "SKMD_TWO is not declared")

    def test_a_document_that_names_what_is_not_declared(self):
        self.found("docs/other.md", "set `SKMD_TWO`", "SKMD_TWO is not declared")
        self.found("docs/other.md", "set `SKMD_LOCAL`", "SKMD_LOCAL is not declared")
        self.found("cpu-driver/a.cpp", 'getenv("SKMD_ANYTHING")', "SKMD_ANYTHING is not declared")

    def test_cmakes_options_are_no_variables_of_code(self):
        self.found("cpu-driver/a.cpp", 'getenv("SKMD_BUILT")', "SKMD_BUILT is not declared")

    def test_the_driver_reads_by_constants(self):
        self.found("intercept/a.cpp", 'getenv("SKMD_ONE")', "by its constant")
        self.assertEqual(faults_of({"intercept/a.cpp": 'fail("SKMD_ONE is wrong")'}), [])

    def test_a_variable_that_nothing_uses(self):
        self.found("profiler/settings/options.def", SOUND["profiler/settings/options.def"] + 'SKMD_VARIABLE(kTwo, "SKMD_TWO", test, flag, "", "", "", "", "two", "")\n',
                   "nothing uses SKMD_TWO")


class Definitions(unittest.TestCase):
    def refused(self, definitions, words):
        with self.assertRaisesRegex(redraw_options.Wrong, words):
            faults_of({"profiler/settings/options.def": definitions})

    def test_literals_in_a_row_are_one(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "profiler/settings"))
            with open(os.path.join(root, "profiler/settings/options.def"), "w", encoding="utf-8") as file:
                file.write(SOUND["profiler/settings/options.def"])
            self.assertEqual(redraw_options.read(root)[0]["help"], "one thing")

    def test_what_breaks_a_table_is_refused(self):
        self.refused(DEFINITIONS, "break tables")

    def test_wrong_words_and_counts_are_refused(self):
        sound = SOUND["profiler/settings/options.def"]
        self.refused(sound.replace("user", "friend"), "audience is one of")
        self.refused(sound.replace('"--one", ', ""), "9 fields of 10")
        self.refused(sound + sound, "one twice")
        self.refused("", "no variable")

    def test_stale_documents_are_found(self):
        entries = [dict.fromkeys(redraw_options.FIELDS, "") | {"name": "SKMD_ONE", "audience": "user", "help": "one thing"}]
        text = "a\n<!-- options user -->\nold\n<!-- end -->\nb\n"
        made = redraw_options.redrawn(text, entries, redraw_options.MARKDOWN_PART)
        self.assertIn("| `SKMD_ONE` |  |  | One thing. |\n<!-- end -->\nb\n", made)
        self.assertEqual(redraw_options.redrawn(made, entries, redraw_options.MARKDOWN_PART), made)
        with self.assertRaisesRegex(redraw_options.Wrong, "no part"):
            redraw_options.redrawn("a\n", entries, redraw_options.MARKDOWN_PART)


if __name__ == "__main__":
    unittest.main()
