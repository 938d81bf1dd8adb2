#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Devices are taken from running programs by skmd-ctl and given back, launches are moved and suspended half way: results as ever, on devices
of our CPU driver, in host memory and with a memory of their own.

usage: control_test.py BUILD
"""
import json
import os
import stat
import subprocess
import sys
import tempfile
import time

from attempts import Attempts, expect

GROUPS, LOCAL, BUSY = 512, 64, 150000
POCL = {"POCL_DEVICES": "pthread basic", "SKMD_DEVICES": "portable:pthread@discrete,portable:basic@discrete"}
SOURCE = """
__kernel void busy(__global uint* out, __global const uint* in, uint rounds) {
  uint x = in[get_global_id(0)];
  for (uint i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  out[get_global_id(0)] = x;
}
"""


def child():
    """The application: launches as it is told, a word a line, and says when each has ended and whether it was right."""
    import numpy
    import pyopencl as cl
    platform, = [platform for platform in cl.get_platforms() if platform.name == "SKMD"]
    context = cl.Context(platform.get_devices())
    queue = cl.CommandQueue(context)
    busy = cl.Program(context, SOURCE).build().busy
    values = numpy.arange(GROUPS * LOCAL, dtype=numpy.uint32)
    source = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, values.nbytes)

    def launch(rounds):
        busy(queue, (GROUPS * LOCAL,), (LOCAL,), out, source, numpy.uint32(rounds))

    def right(rounds):
        result = numpy.zeros_like(values)
        cl.enqueue_copy(queue, result, out)
        # x -> a x + c, so many times: a^n x + c (a^(n-1) + ... + 1), modulo 2^32.
        a, c = 1, 0
        for _ in range(rounds):
            a, c = a * 1664525 % 2**32, (c * 1664525 + 1013904223) % 2**32
        return bool((result == (values.astype(numpy.uint64) * a + c).astype(numpy.uint32)).all())

    print("ready", flush=True)
    for line in sys.stdin:
        word = line.strip()
        if word == "long":
            launch(BUSY)
            queue.flush()
            print("launched", flush=True)
        elif word == "short":
            launch(10)
            print(right(10), flush=True)
        else:
            print(right(BUSY), flush=True)


class Application:
    def __init__(self, build, folder, devices, control=True, script=__file__, more=None):
        self.build, self.folder = build, folder
        self.sockets = os.path.join(folder, "sockets")
        self.stats = os.path.join(folder, "stats.json")
        chosen = POCL if devices == "PoCL" else {"SKMD_TEST_CPU_DRIVER": "1", "SKMD_TEST_CPUS": devices, "SKMD_DEVICES": "cpu"}
        environment = {**os.environ, **chosen, "SKMD_LOG": "warn", "SKMD_PARTITION": "equal", "SKMD_CONTROL": self.sockets if control else "0",
                       **(more or {})}
        command = [f"{build}/bin/skmd-run", "--stats", self.stats, "--cache-dir", f"{build}/tests/driver/cache", "--",
                   sys.executable, os.path.abspath(script), "--child"]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.expect("ready")
        self.pid = os.listdir(self.sockets)[0] if control else "1"

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def expect(self, answer):
        line = self.process.stdout.readline().strip()
        expect(line == answer, f"the application says {line!r} and not {answer!r}")

    def ctl(self, *words, status=0, pid=None):
        command = [f"{self.build}/bin/skmd-ctl", "--json", "--folder", self.sockets, pid or self.pid, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        expect(done.returncode == status, f"{' '.join(words)}: exit {done.returncode}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout) if done.stdout else done.stderr

    def until(self, holds):
        while True:
            found = self.ctl("status")
            if holds(found):
                return found
            expect(self.process.poll() is None, "the application has ended")
            time.sleep(0.01)

    def runs_on_both(self):
        self.until(lambda found: any(all(kernel["running_groups"]) for kernel in found["kernels"]))

    def end(self):
        self.process.stdin.close()
        expect(self.process.wait(timeout=300) == 0, "the application fails")
        expect(not os.path.exists(os.path.join(self.sockets, self.pid)), "the socket is still there")
        with open(self.stats, encoding="utf-8") as file:
            kernel, = [kernel for kernel in json.load(file)["kernels"] if kernel["name"] == "busy"]
            return kernel


def with_application(build, devices, test, **how):
    with tempfile.TemporaryDirectory() as folder:
        application = Application(build, folder, devices, **how)
        try:
            test(application)
        finally:
            if not application.process.stdin.closed:
                application.process.stdin.close()
            try:
                application.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                application.process.kill()


def stops_in_mid_run(application):
    """And starts again: launches go elsewhere meanwhile."""
    application.say("long")
    application.expect("launched")
    application.runs_on_both()
    application.ctl("stop", "0")
    found = application.ctl("status")["devices"]
    expect([device["state"] for device in found] == ["stopped", "open"], str(found))
    expect(found[0]["launches"] == found[0]["bytes"] == found[0]["sole_bytes"] == 0, str(found))
    application.say("right")
    application.expect("True")
    for _ in range(3):
        application.say("short")
        application.expect("True")
    expect(application.ctl("status")["devices"][0]["bytes"] == 0, "a stopped device was given bytes")
    application.ctl("start", "0")
    application.say("short")
    application.expect("True")
    kernel = application.end()
    moved = kernel["preempt"]["moved_groups"]
    first, second = kernel["groups"]
    expect(first + second == 5 * GROUPS, str(kernel["groups"]))
    expect(moved[1] > 0 and moved[0] == 0, f"no group of the stopped launch moved: {kernel['preempt']}")
    # Half of the last launch and less than half of the first; nothing of the three between them.
    expect(GROUPS // 2 <= first < GROUPS, f"the stopped device ran {kernel['groups']}")


def moves(application):
    application.say("long")
    application.expect("launched")
    application.runs_on_both()
    answer = application.ctl("move", "busy", "1")
    expect(answer["groups"] > 0 and answer["launches"] == 1, str(answer))
    application.say("right")
    application.expect("True")
    kernel = application.end()
    expect(kernel["preempt"]["moved_groups"] == [0, answer["groups"]], f"{answer} {kernel['preempt']}")


def suspends(application):
    application.say("long")
    application.expect("launched")
    application.runs_on_both()
    answer = application.ctl("suspend")
    expect(answer["open"] == [], f"our own driver keeps nothing: {answer}")
    found = application.ctl("status")
    expect(found["suspended"] and found["kernels"] == [], str(found))
    expect(all(device["launches"] == device["bytes"] == 0 for device in found["devices"]), str(found))
    application.say("right")  # waits
    application.ctl("suspend", status=1)
    application.ctl("resume")
    application.expect("True")
    expect(sum(application.end()["groups"]) == GROUPS, "each group runs once")


def gives_back_what_a_vendors_device_holds(application):
    """Whether or not its launch can be stopped."""
    application.say("long")
    application.expect("launched")
    application.runs_on_both()
    application.ctl("stop", "pthread")
    found = application.ctl("status")["devices"]
    expect([device["state"] for device in found] == ["stopped", "open"], str(found))
    expect(found[0]["launches"] == found[0]["bytes"] == found[0]["sole_bytes"] == 0, str(found))
    application.say("right")
    application.expect("True")
    application.ctl("start", "pthread")
    application.say("short")
    application.expect("True")
    answer = application.ctl("suspend")
    expect(len(answer["open"]) == 2 and all("context, queues, programs" in text for text in answer["open"]), str(answer))
    expect(all(device["bytes"] == 0 for device in application.ctl("status")["devices"]), "a device still holds something")
    application.say("short")
    application.ctl("resume")
    application.expect("True")
    expect(sum(application.end()["groups"]) == 3 * GROUPS, "each group runs once")


def says_what_is_wrong(application):
    def refused(text, *words, **how):
        said = str(application.ctl(*words, status=1, **how))
        expect(text in said, said)

    mode = stat.S_IMODE(os.stat(application.sockets).st_mode)
    expect(mode == 0o700, f"others may enter: {mode:o}")
    refused("process 4194305 does not run", "status", pid="4194305")
    refused("has no socket", "status", pid="1")
    refused('device "cqu" is not known: is "cpu" meant?', "stop", "cqu")
    refused("there is no device 7", "stop", "7")
    refused("no launch of the kernel busy is running", "move", "busy", "1")
    refused("is not stopped", "start", "1")
    refused("it is not suspended", "resume")
    application.ctl("stop", "1")
    refused("it is the last device in use", "stop", "0")
    application.ctl("halt", status=2)
    application.ctl("stop", status=2)


def has_no_socket(application):
    expect(not os.path.exists(application.sockets), "a folder was made")
    application.say("short")
    application.expect("True")


def a_wrong_value_is_an_error(build):
    done = subprocess.run([f"{build}/bin/skmd-run", "--", f"{build}/bench/vector_add", "--size", "small"], capture_output=True, text=True,
                          env={**os.environ, "SKMD_CONTROL": "yes", "SKMD_LOG": "error"}, timeout=300)
    expect(done.returncode != 0 and "SKMD_CONTROL=yes: expected 0, 1 or the absolute path of a folder" in done.stderr, done.stderr)


def workloads_are_right(build, workload):
    """An unmodified program, while devices come and go as fast as they can."""
    with tempfile.TemporaryDirectory() as folder:
        sockets = os.path.join(folder, "sockets")
        environment = {**os.environ, "SKMD_TEST_CPU_DRIVER": "1", "SKMD_TEST_CPUS": "best:1@discrete,sse:1", "SKMD_DEVICES": "cpu", "SKMD_CONTROL": sockets}
        command = [f"{build}/bin/skmd-run", "--cache-dir", f"{build}/tests/driver/cache", "--", f"{build}/bench/{workload}", "--size", "small", "--repeat",
                   "100", "--check"]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            asked = 0
            while process.poll() is None:
                for pid in os.listdir(sockets) if os.path.exists(sockets) else ():
                    for words in (("stop", "0"), ("start", "0"), ("suspend",), ("resume",), ("stop", "1"), ("start", "1")):
                        done = subprocess.run([f"{build}/bin/skmd-ctl", "--folder", sockets, pid, *words], capture_output=True, text=True, timeout=300)
                        asked += done.returncode == 0
            out, err = process.communicate()
        expect(process.returncode == 0 and json.loads(out)["ok"], f"exit {process.returncode}: {out}{err}")
        print(f"        {asked} times", flush=True)


def main():
    build = os.path.abspath(sys.argv[1])
    attempt = Attempts()
    for devices in ("best:1,sse:1", "best:1@discrete,sse:1@discrete"):
        for test in (stops_in_mid_run, moves, suspends):
            attempt(f"{test.__name__.replace('_', ' ')}, {devices}", lambda: with_application(build, devices, test))
    attempt("gives back what a vendor's device holds", lambda: with_application(build, "PoCL", gives_back_what_a_vendors_device_holds))
    attempt("says what is wrong", lambda: with_application(build, "best:1,sse:1", says_what_is_wrong))
    attempt("has no socket", lambda: with_application(build, "best:1,sse:1", has_no_socket, control=False))
    attempt("a wrong value is an error", lambda: a_wrong_value_is_an_error(build))
    for workload in ("vector_add", "histogram", "scan_large_arrays"):
        attempt(f"{workload} is right", lambda: workloads_are_right(build, workload))
    return 1 if attempt.failed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--child"]:
        child()
    else:
        sys.exit(main())
