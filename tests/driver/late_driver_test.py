#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""late_driver_test.py BUILD: PoCL beside our CPU driver is loaded in the first process, and later only where something of it is needed; where another
driver is loaded too, not even in the first."""
import glob
import os
import pathlib
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
    if "loaded" in questions:
        import ctypes
        names = [pathlib.Path(path).read_text(encoding="utf-8").strip() for path in glob.glob("/etc/OpenCL/vendors/*.icd")]
        ctypes.CDLL(next(name for name in names if "libpocl" in name))
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
        library = more.pop("library", f"{BUILD}/lib/libskmd.so")
        icd = os.path.join(self.folder, "skmd.icd")
        with open(icd, "w", encoding="utf-8") as file:
            file.write(library + "\n")
        cache = os.path.join(self.folder, "cache")
        environment = {**os.environ, "OCL_ICD_VENDORS": icd, "OCL_ICD_FILENAMES": library, "SKMD_CACHE_DIR": cache, "POCL_DEVICES": "pthread", "SKMD_DEVICES": "cpu", "SKMD_TEST_CPU_DRIVER": "1", "PYOPENCL_NO_CACHE": "1", **more}
        if "SKMD_VENDORS" in more and "SKMD_DEVICES" not in more:
            del environment["SKMD_DEVICES"]
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

    def beside_a_gpu(self):
        """A folder that names a GPU's driver, the stub's, and PoCL's."""
        folder = os.path.join(self.folder, "vendors")
        os.makedirs(folder)
        shutil.copy(f"{BUILD}/tests/stub-icd/vendors/stub.icd", f"{folder}/gpu.icd")
        named = [path for path in glob.glob("/etc/OpenCL/vendors/*.icd") if "libpocl" in pathlib.Path(path).read_text(encoding="utf-8")]
        shutil.copy(named[0], f"{folder}/pocl.icd")
        return folder

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "nothing is asked ahead on one processor")
    def test_another_process_loads_it_while_a_gpus_driver_is_loaded(self):
        vendors = self.beside_a_gpu()
        log = os.path.join(self.folder, "log")
        os.makedirs(log)
        self.assertFalse(self.is_loaded(PLAIN, SKMD_VENDORS=vendors, SKMD_PARTITION="single:0", SKMD_LOG=f"debug:{log}/%p"))
        self.assertEqual(len(os.listdir(log)), 1)  # that process has nothing of this one's settings
        self.assertFalse(self.is_loaded(PLAIN, SKMD_VENDORS=f"{vendors}/pocl.icd"))
        self.assertTrue(self.is_loaded(OPAQUE, SKMD_VENDORS=f"{vendors}/pocl.icd"))

    def tree_that_asks(self, text, mode=0o700):
        """Our library in a tree whose skmd-ask is a script, which is told where it may leave notes."""
        tree = os.path.join(self.folder, "tree")
        shutil.rmtree(tree, ignore_errors=True)
        os.makedirs(f"{tree}/lib")
        os.makedirs(f"{tree}/libexec/skmd")
        shutil.copy(f"{BUILD}/lib/libskmd.so", f"{tree}/lib/libskmd.so")
        os.symlink(f"{BUILD}/libexec/skmd/skmd-compile", f"{tree}/libexec/skmd/skmd-compile")
        with open(f"{tree}/libexec/skmd/skmd-ask", "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\nenv >>{tree}/notes\necho end >>{tree}/notes\n{text}\n")
        os.chmod(f"{tree}/libexec/skmd/skmd-ask", mode)
        return f"{tree}/lib/libskmd.so"

    def notes(self):
        path = pathlib.Path(self.folder, "tree", "notes")
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "nothing is asked ahead on one processor")
    def test_it_is_loaded_here_where_the_other_process_does_not_answer(self):
        vendors = self.beside_a_gpu()
        for text, mode, begins in (("", 0o600, False), ("kill -KILL $$", 0o700, True), ("echo this is another answer", 0o700, True), ("", 0o700, True)):
            library = self.tree_that_asks(text, mode)
            shutil.rmtree(f"{self.folder}/cache", ignore_errors=True)
            self.assertTrue(self.is_loaded(PLAIN, SKMD_VENDORS=vendors, SKMD_PARTITION="single:0", LD_PRELOAD="libm.so.6", library=library))
            notes = self.notes()
            self.assertEqual("end" in notes, begins, text)
            if begins:
                self.assertEqual(sorted(line.split("=")[0] for line in notes if line.startswith(("SKMD_", "LD_"))),
                                 ["SKMD_CACHE_DIR", "SKMD_PROFILE_DB", "SKMD_TEST_CPU_DRIVER", "SKMD_VENDORS"])
                self.assertIn(f"SKMD_VENDORS={vendors}/pocl.icd", notes)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "nothing is asked ahead on one processor")
    def test_it_is_asked_once(self):
        vendors, library = self.beside_a_gpu(), self.tree_that_asks("")
        for _ in range(3):
            self.application(PLAIN, SKMD_VENDORS=vendors, SKMD_DEVICES="portable:0", library=library)
        self.assertEqual(self.notes().count("end"), 1)

    def test_it_is_not_asked_where_it_is_loaded_already(self):
        library = self.tree_that_asks("")
        self.assertTrue(self.is_loaded(PLAIN, "loaded", SKMD_VENDORS=self.beside_a_gpu(), SKMD_PARTITION="single:0", library=library))
        self.assertEqual(self.notes(), [])


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        child(*sys.argv[2:])
    else:
        BUILD = os.path.abspath(sys.argv[1])
        unittest.main(argv=sys.argv[:1])
