#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""--memory: what every workload's transfers read from and write to, and that nothing stays mapped. Arguments: the folder of the
workloads, the memory recorder library."""
import json
import os
import subprocess
import sys
import unittest

RECORDER = sys.argv.pop()
FOLDER = sys.argv.pop()

WORKLOADS = ("aes_decrypt aes_encrypt bfs_level binomial_option black_scholes box_muller cholesky fdtd3d fft_2d histogram mandelbrot matrix_multiplication "
             "matrix_transpose median_filter mersenne_twister monte_carlo nbody quadrature ray_march reduction scan_large_arrays sobel_filter spmv "
             "vector_add").split()
COMMANDS = [[workload] for workload in WORKLOADS] + [["iterate", "--kernel", "axpy", "--size", "4096", "--steps", "3"],
                                                     ["iterate", "--kernel", "stencil3d", "--size", "16", "--steps", "3"],
                                                     ["iterate", "--kernel", "nbody", "--size", "256", "--steps", "3"]]


def run(command, *options, said=None, **variables):
    """The process, whose standard input is `said`, and what the recorder saw."""
    # As in group_counts_test.py.
    environment = {**os.environ, "LD_PRELOAD": RECORDER, **variables}
    environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    done = subprocess.run([os.path.join(FOLDER, command[0]), *command[1:], *options], capture_output=True, text=True,
                          env=environment, input=said)
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("memory ")]
    return done, json.loads(line.removeprefix("memory "))


class Memory(unittest.TestCase):
    def assert_all_given_back(self, seen):
        self.assertGreater(seen["maps"], 0)
        self.assertEqual((seen["unmaps"], seen["released"]), (seen["maps"], seen["maps"]))
        self.assertEqual((seen["released_mapped"], seen["kept"]), (0, 0))

    def test_pinned_transfers_are_all_from_mapped_buffers(self):
        for command in COMMANDS:
            with self.subTest(" ".join(command)):
                done, seen = run(command, "--memory", "pinned", "--repeat", "2", "--check")
                self.assertEqual(done.returncode, 0, done)
                answer = json.loads(done.stdout)
                self.assertEqual((answer["memory"], answer["checked"], answer["ok"]), ("pinned", "all", True))
                self.assertGreater(seen["pinned"], 0)
                self.assertEqual(seen["pageable"], 0)
                self.assert_all_given_back(seen)

    def test_pageable_is_the_default_and_maps_nothing(self):
        for command in ["vector_add"], ["vector_add", "--memory", "pageable"], COMMANDS[-1]:
            with self.subTest(" ".join(command)):
                done, seen = run(command)
                self.assertEqual(json.loads(done.stdout)["memory"], "pageable")
                self.assertGreater(seen["pageable"], 0)
                self.assertEqual((seen["pinned"], seen["maps"], seen["released"]), (0, 0, 0))

    def test_served_runs_give_it_back_too(self):
        done, seen = run(["vector_add"], "--memory", "pinned", "--serve", said="run\ncheck\n")
        self.assertEqual(done.returncode, 0, done)
        self.assertIs(json.loads(done.stdout.splitlines()[1])["ok"], True)
        self.assertEqual(seen["pageable"], 0)
        self.assert_all_given_back(seen)

    def test_what_cannot_be_unmapped_is_told(self):
        for command in ["vector_add"], COMMANDS[-1]:
            done, seen = run(command, "--memory", "pinned", BENCH_TEST_UNMAP="fail")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("clEnqueueUnmapMemObject failed with -5", done.stderr)
            self.assert_all_given_back(seen)


if __name__ == "__main__":
    unittest.main()
