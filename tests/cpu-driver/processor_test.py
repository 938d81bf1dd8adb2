#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Which instruction sets tests take a processor for."""
import unittest

from processor import FLAGS, flags_of, usable

SSE, AVX2 = FLAGS["sse"], FLAGS["sse"] | FLAGS["avx2"]
ALL = AVX2 | FLAGS["avx512"]


class Usable(unittest.TestCase):
    def test_what_the_processor_has(self):
        self.assertEqual(usable(set()), [])
        self.assertEqual(usable(SSE), ["sse"])
        self.assertEqual(usable(AVX2), ["sse", "avx2"])
        self.assertEqual(usable(ALL), ["sse", "avx2", "avx512"])
        self.assertEqual(usable(ALL - {"avx512vl"}), ["sse", "avx2"])
        self.assertEqual(usable(ALL - {"fma"}), ["sse"])

    def test_a_cap_takes_away_and_never_adds(self):
        self.assertEqual(usable(ALL, "avx2"), ["sse", "avx2"])
        self.assertEqual(usable(ALL, "sse"), ["sse"])
        self.assertEqual(usable(ALL, "avx512vbmi"), ["sse", "avx2", "avx512"])
        self.assertEqual(usable(AVX2, "avx512"), ["sse", "avx2"])

    def test_flags_are_those_of_every_processor(self):
        self.assertEqual(flags_of("processor : 0\nflags\t\t: a b c\n\nprocessor : 1\nflags : b c d\n"), {"b", "c"})
        self.assertEqual(flags_of("no such line"), set())


if __name__ == "__main__":
    unittest.main()
