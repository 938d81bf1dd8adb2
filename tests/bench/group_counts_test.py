#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Work-group counts: the paper's Table II at `paper`, at least 8 at `small`; local sizes that every device takes.
Arguments: the folder of the workloads, the recorder library."""
import functools
import os
import subprocess
import sys
import unittest

RECORDER = sys.argv.pop()
FOLDER = sys.argv.pop()

TABLE_2 = {
    "aes_encrypt": 16384,
    "aes_decrypt": 16384,
    "binomial_option": 524288,
    "black_scholes": 32768,
    "box_muller": 256,
    "fdtd3d": 256,
    "histogram": 2048,
    "matrix_multiplication": 65536,
    "matrix_transpose": 65536,
    "median_filter": 518400,
    "mersenne_twister": 256,
    "nbody": 1024,
    "reduction": 16384,
    "scan_large_arrays": 32768,
    "sobel_filter": 518400,
    "vector_add": 196608,
}
OTHERS = ["bfs_level", "mandelbrot", "quadrature", "ray_march", "spmv", "cholesky", "fft_2d", "monte_carlo"]
SMALLEST_LOCAL_LIMIT = 1024  # NVIDIA's; PoCL takes 4096


@functools.cache
def launches(workload, size):
    """(kernel, groups, items per group) of each launch."""
    # A sanitizer's runtime wants to be the first library: where one is linked in, order does not matter for these calls.
    environment = {**os.environ, "LD_PRELOAD": RECORDER}
    environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    done = subprocess.run([os.path.join(FOLDER, workload), "--size", size], capture_output=True, text=True,
                          env=environment)
    assert done.returncode == 0, done
    lines = [line.split()[1:] for line in done.stderr.splitlines() if line.startswith("launch ")]
    return [(kernel, int(groups), int(items)) for kernel, groups, items in lines]


class GroupCounts(unittest.TestCase):
    def test_paper_sizes_are_those_of_table_2(self):
        for workload, groups in TABLE_2.items():
            with self.subTest(workload):
                self.assertEqual(launches(workload, "paper")[0][1], groups)

    def test_small_sizes_can_be_split(self):
        for workload in [*TABLE_2, *OTHERS]:
            with self.subTest(workload):
                self.assertGreaterEqual(launches(workload, "small")[0][1], 8)

    def test_groups_fit_every_device(self):
        for workload in [*TABLE_2, *OTHERS]:
            for kernel, _, items in launches(workload, "small"):
                with self.subTest(workload, kernel=kernel):
                    self.assertLessEqual(items, SMALLEST_LOCAL_LIMIT)


if __name__ == "__main__":
    unittest.main()
