#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels' traits as the compiler sees them: access classes of the paper's Table II, writes whose places are known, no
float that decides an address. Arguments: skmd-compile, the folder of the kernels."""
import os
import subprocess
import sys
import unittest

KERNELS = sys.argv.pop()
COMPILER = sys.argv.pop()

OPTIONS = {"fdtd3d": ["-DRADIUS=2", "-DWIDTH=32", "-DHEIGHT=8"], "histogram": ["-DITEMS=128"]}
CONTIGUOUS = {"vector_add", "black_scholes", "binomial_option", "scan_large_arrays", "axpy", "monte_carlo"}

OTHERS = {"bfs_level", "mandelbrot", "quadrature", "ray_march", "spmv"}  # irregular ones, not in the paper's table


def kernels_of(name):
    """{kernel: its lines} as skmd-compile explains them."""
    done = subprocess.run([COMPILER, "--explain", os.path.join(KERNELS, name + ".cl"), *OPTIONS.get(name, [])],
                          capture_output=True, text=True)
    assert done.returncode == 0, done
    result = {}
    for line in done.stdout.splitlines():
        if line.startswith("kernel "):
            lines = result[line.split()[1]] = []
        else:
            lines.append(line.strip())
    return result


class Access(unittest.TestCase):
    def each(self, judge):
        """Calls judge(name, lines) for every kernel of every file."""
        names = sorted(file[:-3] for file in os.listdir(KERNELS) if file.endswith(".cl") and file[:-3] not in OTHERS)
        self.assertEqual(len(names), 21)
        for name in names:
            with self.subTest(name):
                for lines in kernels_of(name).values():
                    judge(name, lines)

    def test_access_classes_are_those_of_table_2(self):
        def judge(name, lines):
            self.assertIn("access: " + ("contiguous" if name in CONTIGUOUS else "discontiguous"), lines)
        self.each(judge)

    def test_places_of_all_writes_are_known(self):
        def judge(_, lines):
            writes = [line for line in lines if line.startswith("write ")]
            self.assertGreater(len(writes), 0)
            for line in writes:
                self.assertNotIn("?", line)
        self.each(judge)

    def test_no_float_decides_an_address(self):
        def judge(_, lines):
            self.assertNotIn("float_decides_address", " ".join(lines))
        self.each(judge)


if __name__ == "__main__":
    unittest.main()
