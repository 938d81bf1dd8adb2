#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Answers are asked for once, and again for another case, other variables, or after the driver has changed."""
import os
import tempfile
import unittest

from answers import Answers


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.asked = folder.name, 0
        self.case, self.driver = self.write("1.case", "one"), self.write("driver.so", "driver")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def ask(self, case=None, fails=False, kept="kept", **environment):
        def answer():
            self.asked += 1
            return None if fails else f"{self.asked}"
        folder = os.path.join(self.folder, kept) if kept else ""
        return Answers(folder, [self.driver, "/not there"]).of(case or self.case, environment, answer)

    def test_a_case_is_asked_for_once(self):
        self.assertEqual([self.ask(), self.ask()], ["1", "1"])
        self.assertEqual(len(os.listdir(os.path.join(self.folder, "kept"))), 1)

    def test_another_one_is_another_question(self):
        self.assertEqual([self.ask(), self.ask(self.write("2.case", "two")), self.ask(POCL_DEVICES="basic"), self.ask()], ["1", "2", "3", "1"])

    def test_another_driver_is_asked_again(self):
        self.ask()
        self.write("driver.so", "another driver")
        self.assertEqual(self.ask(), "2")

    def test_no_answer_is_not_kept(self):
        self.assertEqual([self.ask(fails=True), self.ask()], [None, "2"])

    def test_without_a_folder_each_is_asked(self):
        self.assertEqual([self.ask(kept=""), self.ask(kept="")], ["1", "2"])


if __name__ == "__main__":
    unittest.main()
