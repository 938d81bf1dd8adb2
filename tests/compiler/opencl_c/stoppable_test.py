#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels as launches of vendors' devices have them when they can be stopped inside of groups (compiler/client/stoppable.h): built and run
by our CPU driver, whose barriers do what the text says, in lists of groups, until all have ended.

    stoppable_test.py BUILD SKMD_COMPILE
"""
import os
import random
import sys
import tempfile
import unittest

COMPILER, BUILD = sys.argv.pop(), sys.argv.pop()
VENDORS = tempfile.mkdtemp(prefix="skmd-stoppable-")
with open(f"{VENDORS}/skmd.icd", "w", encoding="utf-8") as icd:
    icd.write(f"{BUILD}/lib/libskmd.so\n")
os.mkdir(f"{VENDORS}/none")
os.environ |= {"OCL_ICD_VENDORS": VENDORS, "SKMD_VENDORS": f"{VENDORS}/none", "SKMD_TEST_CPU_DRIVER": "1", "SKMD_PROFILE_DB": "off"}
import numpy  # noqa: E402
import pyopencl  # noqa: E402

from forms import compiled, forms  # noqa: E402

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stoppable.cl")
LOCAL, GROUPS, OFFSET = (4, 3), (5, 4), (3, 9)
ITEMS = LOCAL[0] * LOCAL[1]
TOTAL = GROUPS[0] * GROUPS[1]
GLOBAL = (LOCAL[0] * GROUPS[0], LOCAL[1] * GROUPS[1])
# Words of control, and where local memory is aligned.
LEFT, FUEL, WORK_DIM, STATE_WORDS, COUNTS, OFFSETS, LOCALS, RUN, LIST = 0, 1, 4, 5, 6, 9, 15, 31, 32
STAGES = 3
ALIGNED = 128
MOST_LAUNCHES = 5000


class Stoppable(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        platform = next(p for p in pyopencl.get_platforms() if p.name == "SKMD")
        cls.context = pyopencl.Context(platform.get_devices()[:1])
        cls.queue = pyopencl.CommandQueue(cls.context)
        with open(FILE, encoding="utf-8") as file:
            cls.own = pyopencl.Program(cls.context, file.read()).build()
        cls.text = pyopencl.Program(cls.context, compiled(COMPILER, FILE, "--kernel-code", "--isa", "opencl-c", "--yielding", "every")).build()
        cls.forms = forms(COMPILER, FILE)

    def buffer(self, content):
        return pyopencl.Buffer(self.context, pyopencl.mem_flags.READ_WRITE | pyopencl.mem_flags.COPY_HOST_PTR, hostbuf=content)

    def read(self, buffer, into):
        pyopencl.enqueue_copy(self.queue, into, buffer)
        return into

    def launch(self, kernel, size, local, arguments, offset=None):
        kernel.set_args(*arguments)
        pyopencl.enqueue_nd_range_kernel(self.queue, kernel, size, local, offset).wait()

    def control(self, groups, fuel, words, locals_):
        control = numpy.zeros(LIST + (1 + STAGES) * len(groups), numpy.uint32)
        control[FUEL], control[WORK_DIM], control[STATE_WORDS] = fuel, 2, words
        control[COUNTS:COUNTS + 3] = (*GROUPS, 1)
        control[OFFSETS], control[OFFSETS + 2] = OFFSET
        for i, place in enumerate(locals_):
            control[LOCALS + 2 * i:LOCALS + 2 * i + 2] = place
        control[LIST:LIST + len(groups)] = groups
        return control

    def run_list(self, kernel, groups, fuel, words, locals_, arguments):
        """Launches until all of the groups have ended, the states of each time being those of the time before."""
        states = self.buffer(numpy.zeros(len(groups) * words, numpy.uint32))
        control = self.control(groups, fuel, words, locals_)
        for launches in range(1, MOST_LAUNCHES):
            control[LEFT], control[RUN] = 0, launches
            kept = self.buffer(control)
            self.launch(kernel, (LOCAL[0] * len(groups), LOCAL[1]), LOCAL, (*arguments, states, kept))
            self.read(kept, control)
            inside = sum(saved == launches for saved in control[LIST + len(groups)::STAGES])
            self.assertEqual(control[LEFT], 1 if inside else 0)  # without a clock every group begins
            if inside == 0:
                return launches
        raise AssertionError("the groups do not end")

    def check(self, name, values, local_bytes=0, locals_=()):
        """`local_bytes`: of variables; `locals_`: place and size of each local parameter."""
        together, item_words, group_words = self.forms[name]
        words = group_words + item_words * ITEMS + local_bytes // 4
        expected = numpy.zeros(GLOBAL[0] * GLOBAL[1], numpy.uint32)
        buffer = self.buffer(expected)
        self.launch(pyopencl.Kernel(self.own, name), GLOBAL, LOCAL, (buffer, *values), OFFSET)
        self.read(buffer, expected)
        self.assertTrue(expected.any())
        groups = list(range(TOTAL))
        random.Random(3).shuffle(groups)
        for fuel in (1, 2, 5, 1000000):
            got = numpy.zeros_like(expected)
            buffer = self.buffer(got)
            kernel = pyopencl.Kernel(self.text, "skmd_stoppable_" + name)
            launches = sum(self.run_list(kernel, some, fuel, words, locals_, (buffer, *values)) for some in (groups[:7], groups[7:]))
            self.assertTrue((self.read(buffer, got) == expected).all(), f"{name}, leaving after {fuel} looks")
            (self.assertEqual if fuel == 1000000 else self.assertGreater)(launches, 2, f"{name}, {fuel}")
        self.assertEqual(together, name == "together")

    def test_items_leave_one_by_one(self):
        self.check("alone", (numpy.uint32(50),))

    def test_arrays_are_kept(self):
        self.check("arrays", (numpy.uint32(9),))

    def test_loops_that_count_towards_a_bound_end_there(self):
        for name in ("counts_up", "counts_down"):
            with self.subTest(name):
                self.check(name, (numpy.uint32(9), numpy.int32(-3)))

    def test_groups_leave_together_with_local_memory(self):
        own, flags, given = 24 * 4, 2 * 4, ITEMS * 4
        variables = -(-own // ALIGNED) * ALIGNED + flags
        place = -(-variables // ALIGNED) * ALIGNED
        self.check("together", (pyopencl.LocalMemory(given), numpy.uint32(11)), place + ALIGNED, ((place, given),))


if __name__ == "__main__":
    unittest.main()
