#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of words against small trees with one planted fault each."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_words  # noqa: E402
import tree  # noqa: E402

PAGE = """# Words

| here | there |
|---|---|
| root | a word that is used |

## Not used

| instead of | write |
|---|---|
| widget, finish line | the caller |
| BatchLine | SubmissionQueue |
| kMost | kMax |
"""


def faults_of(files):
    with tree.planted({"docs/words.md": PAGE, **files}) as root:
        return check_words.check(root)


class Words(unittest.TestCase):
    def test_words_are_found_where_they_stand(self):
        for text, word in (("// Widgets of a Widget.", "Widget"), ("a finish\tline", "finish\tline"), ("BatchLine line;", "BatchLine"), ("int kMostItems = 1;", "kMost"),
                           ("bool a_widget_waits;", "widget")):
            faults = faults_of({"intercept/a.h": "\n" + text + "\n"})
            self.assertEqual(len(faults), 1, text)
            self.assertTrue(faults[0].startswith(f'intercept/a.h:2: "{word}": write '), faults[0])

    def test_documents_and_sources_are_read(self):
        for path in ("README.md", "docs/a.md", "bench/a.c", "tests/a.cpp", "profiler/a.def", "scripts/a.py", "scripts/a.sh", ".ci/run", "tests/CMakeLists.txt", "tests/a.ll", "cmake/a.cmake"):
            self.assertEqual(len(faults_of({path: "widget\n"})), 1, path)
        for path in ("docs/results/raw/a.md", "a.json"):
            self.assertEqual(faults_of({path: "widget\n"}), [], path)

    def test_other_words_pass(self):
        self.assertEqual(faults_of({"a.h": "batchline finished lines almost kMostly root\n"}), [])

    def test_what_to_write_is_said(self):
        self.assertIn("write SubmissionQueue", faults_of({"a.h": "BatchLine\n"})[0])

    def test_an_empty_table_is_a_fault(self):
        with tree.planted({"docs/words.md": "## Not used\n\n| instead of | write |\n|---|---|\n"}) as root:
            self.assertEqual(len(check_words.check(root)), 1)


if __name__ == "__main__":
    unittest.main()
