#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""late_driver_test.py BUILD: PoCL beside our CPU driver is loaded in the first process, and later only where something of it is needed."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PLAIN = "__kernel void f(__global int* out) { out[get_global_id(0)] = 7; }"
# Our front end does not take it: it goes to the other driver as it is.
OPAQUE = "__kernel void f(__global int* out) { __asm__ volatile(\"\"); out[get_global_id(0)] = 7; }"


def child(source, questions):
    """The application: what the kernel wrote, and whether PoCL is mapped."""
    import pyopencl as cl
    import numpy
    platform, = [platform for platform in cl.get_platforms() if platform.name == "SKMD"]
    context = cl.Context(platform.get_devices())
    if "formats" in questions:
        print(len(cl.get_supported_image_formats(context, cl.mem_flags.READ_WRITE, cl.mem_object_type.IMAGE2D)))
    queue = cl.CommandQueue(context)
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    cl.Program(context, source).build().f(queue, (16,), None, out)
    result = numpy.zeros(16, numpy.int32)
    cl.enqueue_copy(queue, result, out)
    queue.finish()
    with open("/proc/self/maps", encoding="utf-8") as file:
        print(sorted(set(result.tolist())), "libpocl" in file.read())


class LateDriver(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def application(self, source, questions="", **more):
        # Without skmd-run, which looks for the devices itself.
        icd = os.path.join(self.folder, "skmd.icd")
        with open(icd, "w", encoding="utf-8") as file:
            file.write(f"{BUILD}/lib/libskmd.so\n")
        cache = os.path.join(self.folder, "cache")
        environment = {**os.environ, "OCL_ICD_VENDORS": icd, "OCL_ICD_FILENAMES": f"{BUILD}/lib/libskmd.so", "SKMD_CACHE_DIR": cache, "POCL_DEVICES": "pthread", "SKMD_DEVICES": "cpu", "SKMD_TEST_CPU_DRIVER": "1", "PYOPENCL_NO_CACHE": "1", **more}
        command = [sys.executable, __file__, "--child", source, questions]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        result, _, mapped = lines[-1].rpartition(" ")
        self.assertEqual(result, "[7]", done.stdout)
        return mapped == "True", lines[:-1]

    def is_loaded(self, *arguments, **more):
        return self.application(*arguments, **more)[0]

    def test_only_the_first_process_loads_it(self):
        self.assertTrue(self.is_loaded(PLAIN))
        self.assertFalse(self.is_loaded(PLAIN))
        self.assertFalse(self.is_loaded(PLAIN.replace("7", "3 + 4")))

    def test_what_needs_it_loads_it(self):
        self.application(PLAIN)
        self.assertTrue(self.is_loaded(OPAQUE))
        self.assertTrue(self.is_loaded(PLAIN, SKMD_DEVICES="portable:0"))
        self.assertFalse(self.is_loaded(PLAIN))

    def test_answers_that_were_not_asked_before_are_kept_too(self):
        self.application(PLAIN)
        loaded, first = self.application(PLAIN, "formats")
        again, second = self.application(PLAIN, "formats")
        self.assertEqual((loaded, again), (True, False))
        self.assertEqual(first, second)
        self.assertGreater(int(first[0]), 0)

    def test_other_settings_of_its_are_another_driver(self):
        self.application(PLAIN)
        self.assertTrue(self.is_loaded(PLAIN, POCL_MAX_PTHREAD_COUNT="1"))
        self.assertFalse(self.is_loaded(PLAIN, POCL_MAX_PTHREAD_COUNT="1"))

    def test_what_is_kept_is_not_believed_when_damaged(self):
        self.application(PLAIN)
        for path in glob.glob(f"{self.folder}/cache/*"):
            with open(path, "r+b") as file:
                file.seek(-20, os.SEEK_END)
                file.write(b"x")
        self.assertTrue(self.is_loaded(PLAIN))


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child(*sys.argv[2:])
    else:
        BUILD = os.path.abspath(sys.argv[1])
        unittest.main(argv=sys.argv[:1])
