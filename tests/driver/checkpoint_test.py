#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Launches of running programs are written to files by skmd-ctl and by SKMD_CHECKPOINT, go on, and are completed by skmd-resume on devices
of other instruction sets: every byte of their buffers as in the program.

usage: checkpoint_test.py BUILD
"""
import glob
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

from attempts import Attempts, expect
from control_test import Application

GROUPS, LOCAL = 64, 64
# Of `mix`, a work-group takes long; of `scale`, a work-item is over at once, and there are many.
SOURCE = """
#define STEP(x) ((x) * 1664525u + 1013904223u)
__kernel void mix(__global uint* out, __global const uint* in, uint rounds, __local uint* shared, __global const uint* nothing) {
  size_t me = get_local_id(0);
  uint x = in[get_global_id(0)];
  for (uint i = 0; i < rounds; ++i) {
    for (uint k = 0; k < 1000; ++k) x = STEP(x);
    shared[me] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x ^= shared[(me + 1) % get_local_size(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x + i;
  }
}
__kernel void scale(__global uint* out, __global const uint* in, uint rounds, __local uint* shared, __global const uint* nothing) {
  uint x = in[get_global_id(0) % (64 * 64)];
  for (uint i = 0; i < rounds; ++i) x = STEP(x);
  out[get_global_id(0) % (64 * 64) * 2 + get_global_id(0) / (64 * 64) % 2] = x;
}
__kernel void draw(__write_only image2d_t image, uint rounds) {
  uint x = get_global_id(0);
  for (uint i = 0; i < rounds; ++i) x = STEP(x);
  write_imageui(image, (int2)(get_global_id(0) % 64, get_global_id(0) / 64 % 64), (uint4)(x));
}
"""
ROUNDS = {"mix": 3000, "scale": 600000}


def child():
    """The application: launches as it is told, a word a line. Its buffers share memory: the second is a part of the first's."""
    import numpy
    import pyopencl as cl
    platform, = [platform for platform in cl.get_platforms() if platform.name == "SKMD"]
    context = cl.Context(platform.get_devices())
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build("-DUNUSED=1")
    mix, scale, draw = program.mix, program.scale, program.draw
    items = GROUPS * LOCAL
    values = numpy.arange(items, dtype=numpy.uint32) * 2654435761
    whole = cl.Buffer(context, cl.mem_flags.READ_WRITE, 5 * values.nbytes)
    cl.enqueue_copy(queue, whole, values, dst_offset=4 * values.nbytes)
    source = whole.get_sub_region(4 * values.nbytes, values.nbytes)
    out = whole.get_sub_region(0, 2 * values.nbytes)
    print("ready", flush=True)
    for line in sys.stdin:
        word, *more = line.split()
        if word in ROUNDS:
            kernel = mix if word == "mix" else scale
            size = items if word == "mix" else 16 * items
            kernel(queue, (size,), (LOCAL,), out, source, numpy.uint32(ROUNDS[word]), cl.LocalMemory(4 * LOCAL), None)
            queue.flush()
            print("launched", flush=True)
        elif word == "draw":
            image = cl.Image(context, cl.mem_flags.WRITE_ONLY, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT32), shape=(64, 64))
            draw(queue, (items,), (LOCAL,), image, numpy.uint32(10000000))
            queue.flush()
            print("launched", flush=True)
        elif word == "finish":
            queue.finish()
            print("finished", flush=True)
        else:
            for name, buffer, count in (("arg0", out, 2 * items), ("arg1", source, items)):
                result = numpy.zeros(count, dtype=numpy.uint32)
                cl.enqueue_copy(queue, result, buffer)
                result.tofile(os.path.join(more[0], name))
            print("saved", flush=True)


class Case:
    """One application, and what came of its launches."""

    def __init__(self, build, folder, devices, **how):
        self.build, self.folder = build, folder
        more = how.pop("more", {})
        self.application = Application(build, folder, devices, script=__file__, more={"SKMD_PREEMPT_MS": "1", "PYOPENCL_NO_CACHE": "1", **more}, **how)

    def launch(self, kernel):
        self.application.say(kernel)
        self.application.expect("launched")

    def until_running(self, devices):
        """Groups are under way on so many devices."""
        self.application.until(lambda found: any(sum(map(bool, kernel["running_groups"])) >= devices for kernel in found["kernels"]))
        time.sleep(0.2)

    def save(self):
        folder = os.path.join(self.folder, "saved")
        os.makedirs(folder, exist_ok=True)
        self.application.say(f"save {folder}")
        self.application.expect("saved")

    def end(self):
        self.application.process.stdin.close()
        expect(self.application.process.wait(timeout=300) == 0, "the application fails")
        with open(self.application.stats, encoding="utf-8") as file:
            return json.load(file)

    def resume(self, file, devices, status=0):
        out = os.path.join(self.folder, "out")
        environment = {**os.environ, "SKMD_TEST_CPU_DRIVER": "1", "SKMD_TEST_CPUS": devices, "SKMD_DEVICES": "cpu"}
        done = subprocess.run([f"{self.build}/bin/skmd-resume", file, "--out", out, "--json"], env=environment, capture_output=True, text=True, timeout=300)
        expect(done.returncode == status, f"skmd-resume: exit {done.returncode}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def expect_equal(self, answer):
        expect([buffer["argument"] for buffer in answer["buffers"]] == [0, 1], str(answer))
        for buffer in answer["buffers"]:
            name = f"arg{buffer['argument']}"
            with open(os.path.join(self.folder, "saved", name), "rb") as one, open(buffer["file"], "rb") as other:
                mine, resumed = one.read(), other.read()
            expect(os.path.basename(buffer["file"]) == f"{name}.bin" and len(resumed) == buffer["bytes"], str(answer))
            expect(mine == resumed, f"{name} differs")


def with_case(build, devices, test, **how):
    with tempfile.TemporaryDirectory() as folder:
        case = Case(build, folder, devices, **how)
        process = case.application.process
        try:
            test(case)
        finally:
            if not process.stdin.closed:
                process.stdin.close()
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()


def is_completed_elsewhere(case, kernel, inside, on):
    case.launch(kernel)
    case.until_running(1 if kernel == "mix" else 2)
    file = os.path.join(case.folder, "file")
    answer = case.application.ctl("checkpoint", file)
    expect(answer["kernel"] == kernel and answer["bytes"] == os.path.getsize(file) and answer["seconds"] > 0, str(answer))
    case.save()
    resumed = case.resume(file, on)
    expect(resumed["kernel"] == kernel and resumed["groups"] > 0, str(resumed))
    expect((resumed["stopped_inside"] > 0) == inside, str(resumed))
    case.expect_equal(resumed)
    checkpoints = case.end()["checkpoints"]
    expect([one["bytes"] for one in checkpoints] == [answer["bytes"]], str(checkpoints))


def are_kept_at_times(case):
    for _ in range(2):
        case.launch("scale")
        case.save()
    pattern = os.path.join(case.folder, "kept", "*")
    file, = glob.glob(pattern)
    expect(os.path.basename(file).startswith("scale-") and file.endswith(".checkpoint"), file)
    case.expect_equal(case.resume(file, "best:1"))
    expect(len(case.end()["checkpoints"]) >= 2, "few checkpoints")


def says_what_is_wrong(case):
    def refused(text, *words):
        said = str(case.application.ctl(*words, status=1))
        expect(text in said, said)

    refused("no launch is running", "checkpoint", os.path.join(case.folder, "file"))
    case.launch("scale")
    case.until_running(2)
    refused("No such file or directory", "checkpoint", os.path.join(case.folder, "none", "file"))
    os.mkdir(os.path.join(case.folder, "busy"))
    refused("cannot be renamed", "checkpoint", os.path.join(case.folder, "busy"))
    expect(glob.glob(os.path.join(case.folder, ".*")) == [], "a half-written file is left")
    case.application.ctl("checkpoint", status=2)
    file = os.path.join(case.folder, "file")
    case.application.ctl("checkpoint", file)
    case.save()
    case.expect_equal(case.resume(file, "sse:1"))
    case.launch("draw")
    case.until_running(1)
    refused("draw", "checkpoint", file)  # which argument is an image, or that it ended
    case.application.say("finish")
    case.application.expect("finished")
    with open(file, "r+b") as stream:
        stream.truncate(os.path.getsize(file) - 1)
    answer = case.resume(file, "sse:1", status=1)
    expect("section" in answer["reason"] and "at byte" in answer["reason"], str(answer))
    with open(file, "wb") as stream:
        stream.write(b"foreign" * 100)
    expect("no file of SKMD's" in case.resume(file, "sse:1", status=1)["reason"], "a foreign file")
    expect("cannot be read" in case.resume(file + "none", "sse:1", status=1)["reason"], "no file")
    done = subprocess.run([f"{case.build}/bin/skmd-resume", file], capture_output=True, text=True, timeout=60)
    expect(done.returncode == 2 and "--out" in done.stderr, str(done))


def goes_on_where_there_is_no_room(case):
    """The process may write no file of more bytes than the buffers have."""
    resource.prlimit(int(case.application.pid), resource.RLIMIT_FSIZE, (20000, resource.RLIM_INFINITY))
    case.launch("scale")
    case.until_running(2)
    said = str(case.application.ctl("checkpoint", os.path.join(case.folder, "file"), status=1))
    expect("cannot be written" in said, said)
    expect(glob.glob(os.path.join(case.folder, "*file*")) + glob.glob(os.path.join(case.folder, ".*file*")) == [], "something is left")
    resource.prlimit(int(case.application.pid), resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    file = os.path.join(case.folder, "file")
    case.application.ctl("checkpoint", file)
    case.save()
    case.expect_equal(case.resume(file, "sse:1"))
    case.end()


def workloads_are_right(build, workload, size, repeat):
    """An unmodified program, with checkpoints as fast as they can be."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "SKMD_TEST_CPU_DRIVER": "1", "SKMD_TEST_CPUS": "best:1@discrete,sse:1", "SKMD_DEVICES": "cpu", "SKMD_PREEMPT": "item",
                       "SKMD_PREEMPT_MS": "1", "SKMD_CHECKPOINT": f"{folder}/kept:0.05"}
        stats = f"{folder}/stats.json"
        done = subprocess.run([f"{build}/bin/skmd-run", "--stats", stats, "--cache-dir", f"{build}/tests/driver/cache", "--", f"{build}/bench/{workload}",
                               "--size", size, "--repeat", str(repeat), "--check"], env=environment, capture_output=True, text=True, timeout=300)
        expect(done.returncode == 0 and json.loads(done.stdout)["ok"], f"exit {done.returncode}: {done.stdout}{done.stderr}")
        with open(stats, encoding="utf-8") as file:
            print(f"        {len(json.load(file)['checkpoints'])} checkpoints", flush=True)
        expect(not glob.glob(f"{folder}/kept/.*"), "a half-written file is left")


def a_wrong_value_is_an_error(build):
    for value in ("here", ":1", "here:0", "here:often"):
        done = subprocess.run([f"{build}/bin/skmd-run", "--", f"{build}/bench/vector_add", "--size", "small"], capture_output=True, text=True,
                              env={**os.environ, "SKMD_CHECKPOINT": value, "SKMD_LOG": "error"}, timeout=300)
        expect(done.returncode != 0 and f"SKMD_CHECKPOINT={value}: expected FOLDER:SECONDS" in done.stderr, done.stderr)


def main():
    build = os.path.abspath(sys.argv[1])
    attempt = Attempts()
    for devices in ("best:1,sse:1", "best:1@discrete,sse:1@discrete"):
        for kernel, mode, inside, on in (("scale", "group", False, "sse:1"), ("mix", "item", True, "sse:1"), ("mix", "item", True, "best:1")):
            attempt(f"{kernel}, {mode}, {devices}, on {on}",
                    lambda: with_case(build, devices, lambda case: is_completed_elsewhere(case, kernel, inside, on), more={"SKMD_PREEMPT": mode}))
    attempt("are kept at times", lambda: with_kept(build))
    attempt("says what is wrong", lambda: with_case(build, "best:1,sse:1", says_what_is_wrong))
    attempt("goes on where there is no room", lambda: with_case(build, "best:1,sse:1", goes_on_where_there_is_no_room))
    attempt("a wrong value is an error", lambda: a_wrong_value_is_an_error(build))
    for workload, size, repeat in (("nbody", "small", 40), ("matrix_multiplication", "profile1", 2), ("histogram", "profile1", 2)):
        attempt(f"{workload} is right", lambda: workloads_are_right(build, workload, size, repeat))
    return 1 if attempt.failed else 0


def with_kept(build):
    with tempfile.TemporaryDirectory() as folder:
        case = Case(build, folder, "best:1,sse:1", control=False, more={"SKMD_CHECKPOINT": os.path.join(folder, "kept") + ":0.1"})
        try:
            are_kept_at_times(case)
        finally:
            if case.application.process.poll() is None:
                case.application.process.kill()


if __name__ == "__main__":
    if sys.argv[1:] == ["--child"]:
        child()
    else:
        sys.exit(main())
