#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of constants against small trees with one planted fault each."""
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check_constants  # noqa: E402
import tree  # noqa: E402


def faults_of(files):
    with tree.planted(files) as root:
        return check_constants.check(root)[0]


class Constants(unittest.TestCase):
    def test_numbers_are_explained_where_they_stand(self):
        for line in ("constexpr double kPart = 0.2;", "  constexpr std::uint32_t kRounds = 6;", "static constexpr std::size_t kMax{64};",
                     "inline constexpr std::chrono::milliseconds kPause{20};", "constexpr std::uint64_t kMuch = std::uint64_t{1} << 20;"):
            faults = faults_of({"intercept/launch/a.cpp": "\n" + line + "\n"})
            self.assertEqual(len(faults), 1, line)
            self.assertTrue(faults[0].startswith("intercept/launch/a.cpp:2: "), faults[0])
            for explained in (line + "  // what it is", "// What it is.\n" + line, "// What they are.\nconstexpr int kOther = 3;\n" + line):
                self.assertEqual(faults_of({"intercept/launch/a.cpp": explained}), [], explained)

    def test_a_comment_ends_with_its_row(self):
        self.assertEqual(len(faults_of({"partitioner/plan/a.cpp": "// One.\nint one();\nconstexpr int kTwo = 2;\n"})), 1)

    def test_other_constants_need_none(self):
        for line in ("constexpr int kNone = -1;", "constexpr std::uint32_t kAll = ~std::uint32_t{0};", "constexpr std::uint32_t kHost = 0xFFFFFFFFu;", "int kept = 64;",
                     'constexpr std::string_view kName = "2";', "constexpr cl_uint kBits = CL_A | CL_B;", "constexpr std::size_t kBytes = sizeof(int) * 2;"):
            self.assertEqual(faults_of({"intercept/a.cpp": line}), [], line)
        self.assertEqual(faults_of({"tests/a.cpp": "constexpr int kTwo = 2;", "bench/a.cpp": "constexpr int kTwo = 2;"}), [], "other rooms")

    def test_all_rooms_of_the_product_are_read(self):
        for room in ("compiler/analysis", "cpu-driver", "cpu-driver/codegen/loops", "cpu-driver/runtime", "intercept/launch", "partitioner/plan", "profiler", "profiler/commands"):
            self.assertEqual(len(faults_of({f"{room}/a.cpp": "constexpr int kTwo = 2;\n"})), 1, room)
            self.assertEqual(len(faults_of({f"{room}/a_constants.h": "/// Two.\ninline constexpr int kTwo = 2;\n"})), 1, room)

    def test_headers_of_constants_name_their_sources(self):
        name = "partitioner/plan/plan_constants.h"
        row = "inline constexpr double kOne = 1.0;\ninline constexpr double kTwo = 2.0;\n"
        self.assertEqual(len(faults_of({name: "// What they are.\n" + row})), 2)
        self.assertEqual(faults_of({name: "// What they are. Source:\n// chosen.\n" + row}), [])
        self.assertEqual(len(faults_of({name: "// Source: chosen.\n\n" + row})), 2, "an empty line ends the comment")

    def test_sources_are_there(self):
        name, text = "intercept/memory/memory_constants.h", "// Source: docs/a.md, tests/b_test.cpp.\ninline constexpr int kTwo = 2;\n"
        self.assertEqual(len(faults_of({name: text})), 2)
        self.assertEqual(faults_of({name: text, "docs/a.md": "", "tests/b_test.cpp": ""}), [])


if __name__ == "__main__":
    unittest.main()
