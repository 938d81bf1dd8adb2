#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of lists against small trees."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_lists  # noqa: E402
import tree  # noqa: E402


def faults_of(files):
    with tree.planted(files) as root:
        return check_lists.check(root)[0]


class Lists(unittest.TestCase):
    def test_lists_of_the_folder_and_above(self):
        self.assertEqual(faults_of({"tests/a/one_test.cpp": "", "tests/a/b/two_test.cpp": "", "tests/a/CMakeLists.txt": "b/two_test.cpp\n",
                                    "tests/a/more.cmake": "one_test.cpp\n"}), [])

    def test_one_that_is_in_no_list(self):
        files = {"tests/a/one_test.cpp": "", "tests/a/CMakeLists.txt": "other_test.cpp\n", "tests/CMakeLists.txt": "one_test.cpp\n"}
        self.assertEqual(faults_of(files), ["tests/a/one_test.cpp: is in no list of CMake's, and never runs"])


if __name__ == "__main__":
    unittest.main()
