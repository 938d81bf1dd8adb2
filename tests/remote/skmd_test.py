# SPDX-License-Identifier: Apache-2.0
"""SKMD over the engine: one launch of an unmodified program over the processor here and far hosts, right to the byte, and what loss leaves."""
import contextlib
import json
import os
import random
import signal
import sys
import time

from hosts import HERE, Skipped, expect
from skmd_machine import machine, whole_loss

sys.path.insert(0, os.path.join(HERE, "..", "..", "bench", "scripts"))
from gpu import SIXTEEN  # noqa: E402

PROGRAMS = os.environ.get("SKMD_TEST_PROGRAMS", "30")
LOSSES = 2 * int(os.environ.get("SKMD_TEST_ROUNDS", "1"))
# A launch in flight when its host is lost: 2 s of silence, the engine's own second, and what is run again here.
LATE = 5


@contextlib.contextmanager
def one_far(hosts):
    with hosts.serve("--devices", "cpu", SKMD_CPU_THREADS="1") as server, machine(hosts) as here:
        yield server, here


@contextlib.contextmanager
def two_far(hosts):
    with one_far(hosts) as (first, here), hosts.serve("--devices", "cpu", SKMD_CPU_THREADS="1") as second:
        yield first, second, here


def test_one_launch_over_two_hosts(hosts):
    with one_far(hosts) as (server, here):
        stats = here.bench(["--hosts", server.address, "--devices", f"cpu,{server.address}/*", "--partition", "fixed:97,3", "--verify"],
                           "matrix_multiplication", "--size", "small")
    device = stats["devices"][1]
    expect(device["backend"] == "remote" and device["host"] == server.address, f"{device}")
    expect(len(stats["kernels"][0]["groups"]) == 2 and min(stats["kernels"][0]["groups"]) > 0, f"{stats['kernels'][0]['groups']}")
    expect(stats["verify"]["mismatches"] == 0, f"{stats['verify']}")
    host, = stats["hosts"]
    expect(set(host) >= {"host", "round_trip_us", "to_gbps", "from_gbps", "lost"}, f"{host}")
    expect(host["host"] == server.address and host["lost"] is False, f"{host}")
    expect(min(host["round_trip_us"], host["to_gbps"], host["from_gbps"]) > 0, f"{host}")


def sixteen(here, options, split):
    """All of them right, and in so many of them every device has computed."""
    shared = 0
    for name in SIXTEEN:
        stats = here.bench([*options, "--verify"], name, "--size", "small")
        expect(stats["verify"]["mismatches"] == 0, f"{name}: {stats['verify']}")
        shared += any(min(kernel["groups"]) > 0 for kernel in stats["kernels"])
    expect(shared >= split, f"only {shared} of the sixteen were split")


def test_sixteen_over_processor_and_far(hosts):
    with one_far(hosts) as (server, here):
        sixteen(here, ["--hosts", server.address, "--devices", f"cpu,{server.address}/*", "--partition", "fixed:60,40"], 15)


def test_sixteen_over_two_far_hosts(hosts):
    with two_far(hosts) as (first, second, here):
        sixteen(here, ["--hosts", f"{first.address},{second.address}", "--devices", f"{first.address}/*,{second.address}/*", "--partition", "equal"], 15)


def test_sixteen_as_auto_decides(hosts):
    with one_far(hosts) as (server, here):
        sixteen(here, ["--hosts", server.address], 0)


def test_random_kernels(hosts):
    """What PoCL here says is right has to come out of far hosts, beside the processor and without it."""
    with two_far(hosts) as (first, second, here):
        command = ["/usr/bin/python3", "-B", f"{HERE}/../driver/random/random_test.py", hosts.build, PROGRAMS, "--exact", "--jobs", "2", "--no-reduce",
                   "--save", f"{here.folder}/failures", "--gpus", f"{first.address}/*,{second.address}/*"]
        run = here.start(command, SKMD_HOSTS=f"{first.address},{second.address}")
        output, errors = run.communicate(timeout=20 * int(PROGRAMS) + 300)
    expect(run.returncode == 0 and "0 failures" in output, f"{output[-600:]} {errors[-300:]}")


def in_time(late):
    expect(late < LATE, f"{late:.1f} s late")


def test_server_killed_in_mid_launch(hosts):
    moments = random.Random(281)
    with one_far(hosts) as (server, here):
        for _ in range(LOSSES):
            in_time(whole_loss(here, server, moments.uniform(0.1, 0.8), lambda daemon: os.kill(daemon, signal.SIGKILL)))
            server.wait_ready()


def test_server_stopped_in_mid_launch(hosts):
    moments = random.Random(282)
    with one_far(hosts) as (server, here):
        for _ in range(LOSSES):
            daemon = server.daemon()
            try:
                in_time(whole_loss(here, server, moments.uniform(0.1, 0.8), lambda pid: os.kill(pid, signal.SIGSTOP)))
            finally:
                os.kill(daemon, signal.SIGCONT)


def link(hosts, state):
    expect(hosts.on_server(["ip", "link", "set", "eth0", state]).wait() == 0, f"cannot set the link {state}")


def disturb(hosts, server, what, seconds):
    """Does one thing to the server or its link, and undoes it after so many seconds where that is possible."""
    daemon = server.daemon()
    if what == "kill":
        os.kill(daemon, signal.SIGKILL)
    elif what == "stop":
        os.kill(daemon, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(daemon, signal.SIGCONT)
    else:
        link(hosts, "down")
        time.sleep(seconds)
        link(hosts, "up")


def test_disturbances_at_random_moments(hosts):
    """No hang and no wrong byte; a round whose bytes were on the far host alone may fail, those after it do not."""
    if not hosts.client_prefix:
        raise Skipped("the loopback cannot be taken away")
    moments = random.Random(283)
    with one_far(hosts) as (server, here):
        for turn in range(3 * LOSSES):
            what = ("kill", "stop", "link")[turn % 3]
            run = here.start(here.command(["--hosts", server.address, "--devices", f"cpu,{server.address}/*", "--partition", "fixed:50,50"],
                                          [sys.executable, "-B", f"{HERE}/churn.py", "6"]), SKMD_CPU_THREADS="1")
            expect("started" in run.stdout.readline(), "the program does not start")
            moment, seconds = moments.uniform(0, 2), moments.choice((0.3, 1.5, 4))
            time.sleep(moment)
            disturb(hosts, server, what, seconds)
            output, _ = here.finish(run, 30)
            answer = json.loads(output.strip().splitlines()[-1])
            told = f"{what} after {moment:.2f} s for {seconds} s: {answer}"
            expect(answer["wrong"] == 0, told)
            expect(len(answer["errors"]) <= 2 < answer["rounds"], told)
            if what == "kill":
                server.wait_ready()
