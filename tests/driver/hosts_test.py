#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Devices of other machines as applications under skmd-run meet them, with the stub of the library that reaches them (tests/stub-icd).

usage: hosts_test.py BUILD [TEST…]
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

N = 1 << 14
SOURCE = """kernel void stub_copy(global const uint* from, global uint* to) { size_t i = get_global_id(0); to[i] = from[i]; }
kernel void stub_axpy(global float* y, global const float* x, float a) { size_t i = get_global_id(0); y[i] = a * x[i] + y[i]; }"""


def application(seconds):
    """Some launches, and others that change nothing for so many seconds; prints ok if every value is right."""
    import numpy
    import pyopencl as cl
    platform, = cl.get_platforms()
    context = cl.Context(platform.get_devices())
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build(cache_dir=False)
    values = numpy.arange(N, dtype=numpy.uint32) * 7
    flags = cl.mem_flags
    source = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=values)
    target = cl.Buffer(context, flags.READ_WRITE, values.nbytes)
    y = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=numpy.ones(N, numpy.float32))
    x = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=numpy.full(N, 2, numpy.float32))
    for _ in range(3):
        program.stub_copy(queue, (N,), (64,), source, target)
        program.stub_axpy(queue, (N,), (64,), y, x, numpy.float32(3))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        program.stub_copy(queue, (N,), (64,), source, target)
        queue.finish()
    copied, summed = numpy.empty_like(values), numpy.empty(N, numpy.float32)
    cl.enqueue_copy(queue, copied, target)
    cl.enqueue_copy(queue, summed, y)
    print("ok" if (copied == values).all() and (summed == 19).all() else "other results")


class Hosts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        os.mkdir(f"{self.folder}/vendors")

    def environment(self, **more):
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("SKMD_", "STUB_", "OCL_ICD", "OPENCL_"))}
        return plain | {"SKMD_VENDORS": f"{self.folder}/vendors", "SKMD_CACHE_DIR": f"{self.folder}/cache", "SKMD_PROFILE_DB": "off", "PYOPENCL_NO_CACHE": "1",
                        "SKMD_TEST_REMOTE_ENGINE": f"{BUILD}/tests/stub-icd/libstub-remote.so"} | more

    def run_application(self, *options, status=0, launching=0, **more):
        """Its statistics, its log and how long it took. It launches for so many seconds more."""
        stats, log = f"{self.folder}/stats.json", f"{self.folder}/log"
        command = [f"{BUILD}/bin/skmd-run", "--stats", stats, "--log", f"debug:{log}", *options, "--", sys.executable, "-B", os.path.abspath(__file__), "--child", str(launching)]
        begin = time.monotonic()
        done = subprocess.run(command, env=self.environment(**more), capture_output=True, text=True, timeout=120, check=False)
        seconds = time.monotonic() - begin
        self.assertEqual(done.returncode, status, done.stderr)
        if status == 0:
            self.assertEqual(done.stdout, "ok\n", done.stderr)
        with open(log, encoding="utf-8") as file:
            text = file.read()
        with open(stats, encoding="utf-8") as file:
            return json.load(file), text, seconds

    def test_the_other_machine_is_used_by_what_launches_for_longer_alone(self):
        calls = f"{self.folder}/calls"
        for seconds, uses in ((0, False), (2, True)):
            stats, _, _ = self.run_application("--hosts", "b:1", launching=seconds, STUB_FAR_LOG=calls)
            with open(calls, encoding="utf-8") as file:
                text = file.read()
            for call in "clBuildProgram", "clEnqueueWriteBuffer", "clEnqueueReadBuffer":  # the last two measure the link
                self.assertEqual(call in text, uses, f"{call}, {seconds} s of launches")
            self.assertEqual(stats["hosts"][0]["round_trip_us"] is not None, uses)

    def test_a_launch_is_split_over_this_and_another_machine(self):
        stats, _, _ = self.run_application("--hosts", "b:1", "--devices", "cpu,b:1/*", "--partition", "fixed:75,25", "--verify")
        self.assertEqual([device["backend"] for device in stats["devices"]], ["cpu-driver", "remote"])
        self.assertEqual(stats["devices"][1]["host"], "b:1")
        self.assertNotIn("host", stats["devices"][0])
        for kernel in stats["kernels"]:
            self.assertEqual(kernel["split_launches"], 3, kernel)
            self.assertTrue(min(kernel["groups"]) > 0, kernel)
        self.assertEqual(stats["verify"]["mismatches"], 0)
        self.assertEqual([(host["host"], host["lost"]) for host in stats["hosts"]], [("b:1", False)])

    def test_two_devices_of_one_name_are_told_apart(self):
        with open(f"{self.folder}/hosts", "w", encoding="utf-8") as file:
            file.write("# two machines\nb:1\nc:1 # the same board\n")
        stats, _, _ = self.run_application("--hosts", f"@{self.folder}/hosts", "--devices", "c:1/:0,b:1/stub:gpu", "--partition", "equal",
                                           STUB_FAR_INFO="NAME=Stub GPU")
        self.assertEqual([(device["name"], device["host"]) for device in stats["devices"]], [("Stub GPU", "c:1"), ("Stub GPU", "b:1")])
        self.assertTrue(all(min(kernel["groups"]) > 0 for kernel in stats["kernels"]), stats["kernels"])

    def test_a_host_that_is_away_is_named_and_stops_nothing(self):
        stats, log, _ = self.run_application("--hosts", "b:1,c:1", "--partition", "equal", STUB_FAR_SERVERS="away,1")
        self.assertEqual([device.get("host") for device in stats["devices"]], [None, "c:1"])
        self.assertEqual([(host["host"], host["lost"]) for host in stats["hosts"]], [("b:1", True), ("c:1", False)])
        self.assertIn("left out: host b:1: does not answer", log)
        for options in ["--json"], []:
            done = subprocess.run([f"{BUILD}/bin/skmd-info", *options], env=self.environment(SKMD_HOSTS="b:1,c:1", STUB_FAR_SERVERS="away,1"), capture_output=True,
                                  text=True, timeout=60, check=True)
            if options:
                document = json.loads(done.stdout)
                self.assertEqual(document["hosts"], [{"host": "b:1", "devices": 0, "away": True, "reason": "does not answer"}, {"host": "c:1", "devices": 1, "away": False}])
                self.assertEqual([device.get("host") for device in document["devices"]], [None, "c:1"])
            else:
                self.assertIn("  b:1: away: does not answer\n  c:1: 1 devices\n", done.stdout)

    def test_without_the_library_only_local_devices_take_part(self):
        stats, log, _ = self.run_application("--hosts", "b:1", SKMD_TEST_REMOTE_ENGINE=f"{self.folder}/libpocl-remote.so")
        self.assertEqual([device["backend"] for device in stats["devices"]], ["cpu-driver"])
        self.assertIn("left out: host b:1: cannot be reached: ", log)
        self.assertEqual([(host["host"], host["lost"]) for host in stats["hosts"]], [("b:1", True)])

    def test_a_host_that_falls_silent_in_mid_launch_costs_two_seconds(self):
        for partition in "fixed:50,50", "dynamic:8":
            stats, log, seconds = self.run_application("--hosts", "b:1", "--devices", "cpu,b:1/*", "--partition", partition, STUB_FAR_SILENT="clEnqueueNDRangeKernel:1",
                                                       STUB_FAR_DELAY_US="0")
            self.assertIn("is set aside: ", log)
            self.assertIn("does not answer any more", log)
            self.assertEqual(stats["hosts"][0]["lost"], True)
            self.assertLess(seconds, 10)
            self.assertGreater(seconds, 2)

    def test_the_link_is_measured(self):
        stats, _, _ = self.run_application("--hosts", "b:1", "--devices", "cpu,b:1/*", "--partition", "equal", launching=1, STUB_FAR_DELAY_US="2000")
        host, = stats["hosts"]
        self.assertTrue(2000 <= host["round_trip_us"] < 20000, host)
        self.assertTrue(host["to_gbps"] > 0 and host["from_gbps"] > 0, host)

    def test_a_wrong_list_is_an_error_before_the_application_starts(self):
        for options, text in ((["--hosts", "b"], "--hosts: 'b' has no port"), (["--hosts", "b:1", "--devices", "c:1/*"], "names the host 'c:1', which SKMD_HOSTS does not")):
            done = subprocess.run([f"{BUILD}/bin/skmd-run", *options, "--", "false"], env=self.environment(), capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 125, done.stderr)
            self.assertIn(text, done.stderr)
        done = subprocess.run([f"{BUILD}/bin/skmd-run", "--", "false"], env=self.environment(SKMD_HOSTS="b:x"), capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("SKMD_HOSTS: 'b:x' has the port 'x'", done.stderr)


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        application(float(sys.argv[2]))
    else:
        BUILD = os.path.abspath(sys.argv.pop(1))
        unittest.main()
