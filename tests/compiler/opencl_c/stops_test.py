#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels that are stopped at every yield point, as OpenCL C text on PoCL: what they leave in the end is what their own program leaves.

    stops_test.py SKMD_COMPILE

Each kernel runs as one work-group. The text of its yielding form runs with the control word set, again and again, each time one point
further, as compiler/yield/yield.h says; and once with the word 0."""
import os
import sys
import unittest

os.environ["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors/pocl.icd"
os.environ["POCL_DEVICES"] = "pthread"
# Replicated for each work-item, which PoCL does with small groups, kernels with returns between barriers take minutes to build.
os.environ["POCL_WORK_GROUP_METHOD"] = "workitemloops"
import numpy  # noqa: E402
import pyopencl  # noqa: E402

from forms import compiled, forms  # noqa: E402

FOLDER = os.path.dirname(os.path.abspath(__file__))
COMPILER = sys.argv.pop()
DONE = 0xFFFFFFFF
ITEMS = 12
MOST_RUNS = 10000  # a kernel here has far fewer points in its iterations


class Stops(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        platform = next(p for p in pyopencl.get_platforms() if p.name == "Portable Computing Language")
        cls.context = pyopencl.Context(platform.get_devices()[:1])
        cls.queue = pyopencl.CommandQueue(cls.context)
        cls.file = os.path.join(FOLDER, "stops.cl")
        with open(cls.file, encoding="utf-8") as file:
            cls.own = pyopencl.Program(cls.context, file.read()).build()
        cls.text = pyopencl.Program(cls.context, compiled(COMPILER, cls.file, "--opencl-c", "--yielding", "every")).build()
        cls.forms = forms(COMPILER, cls.file)

    def buffer(self, content):
        flags = pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR
        return pyopencl.Buffer(self.context, flags, hostbuf=content)

    def content(self, buffer, like):
        result = numpy.empty_like(like)
        pyopencl.enqueue_copy(self.queue, result, buffer)
        return result

    def launch(self, program, name, arguments):
        kernel = pyopencl.Kernel(program, name)
        kernel.set_args(*arguments)
        kernel_run = pyopencl.enqueue_nd_range_kernel(self.queue, kernel, (ITEMS,), (ITEMS,))
        kernel_run.wait()

    def points(self, together, group_words):
        return slice(0, 2) if together else slice(group_words, group_words + ITEMS)

    def check(self, name, *values):
        together, item_words, group_words = self.forms[name]
        given = numpy.random.default_rng(1).integers(0, 1 << 20, 1024, dtype=numpy.uint32)
        expected = self.buffer(given)
        self.launch(self.own, name, (expected, *values))
        expected = self.content(expected, given)
        self.assertFalse((expected == given).all(), "the kernel changes nothing")
        for word in (0, 1):
            out, runs = self.buffer(given), 0
            state = numpy.full(group_words + item_words * ITEMS, 0xABABABAB, numpy.uint32)
            state[self.points(together, group_words)] = 0
            going = True
            while going:
                if together:
                    state[1] = DONE
                kept = self.buffer(state)
                self.launch(self.text, name, (out, *values, kept, self.buffer(numpy.array([word], numpy.uint32))))
                state = self.content(kept, state)
                runs += 1
                self.assertLess(runs, MOST_RUNS)
                if together:
                    going = state[1] != DONE
                    state[0] = state[1]
                else:
                    going = bool((state[self.points(together, group_words)] != DONE).any())
            numpy.testing.assert_array_equal(self.content(out, given), expected)
            self.assertTrue(runs == 1 if word == 0 else runs > 2, f"{runs} runs with control word {word}")

    def test_items_alone(self):
        self.check("alone", numpy.uint32(9))

    def test_items_together(self):
        self.check("together", numpy.uint32(9))

    def test_values_that_change_places(self):
        self.check("swaps", numpy.uint32(7))

    def test_barriers_and_local_memory(self):
        self.check("tiles", numpy.uint32(8))

    def test_private_arrays(self):
        self.check("arrays", numpy.uint32(9))

    def test_nested_loops(self):
        self.check("nested", numpy.uint32(5))

    def test_vectors_doubles_and_small_integers(self):
        self.check("types", numpy.uint32(6))

    def test_structs(self):
        self.check("structs", numpy.array([3, 0x00050002, 7, 9], numpy.uint32), numpy.uint32(6))


if __name__ == "__main__":
    unittest.main()
