# SPDX-License-Identifier: Apache-2.0
"""skmd-serve with a daemon: its life, and SKMD as the one driver served."""
import os
import signal
import subprocess
import tempfile

from engine_test import loss
from hosts import expect


def test_ends_its_daemon(hosts):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
        with hosts.serve("--each") as server:
            daemon = server.daemon()
            server.process.send_signal(number)
            status = server.process.wait(10)
            expect(status == (-number if number == signal.SIGKILL else 0), f"status {status} after {number.name}")
            hosts.wait_for(lambda: not os.path.exists(f"/proc/{daemon}"), 5, f"the daemon outlives {number.name}")


def test_restarts_a_dead_daemon(hosts):
    with hosts.serve("--each") as server:
        first = server.daemon()
        os.kill(first, signal.SIGKILL)
        server.wait_ready()
        expect(server.daemon() != first, "the same process")
        expect(hosts.engine_client("adds", server.address)["wrong"] == 0, "wrong sums")


def test_says_that_a_port_is_taken(hosts):
    with hosts.serve("--each") as server:
        second = subprocess.run([*hosts.server_prefix, f"{hosts.build}/bin/skmd-serve", "--listen", server.address, "--each"],
                                capture_output=True, text=True, timeout=60, check=False)
    expect(second.returncode == 125 and f"cannot listen at {server.address}" in second.stderr, f"{second}")


def test_skmd_is_one_device(hosts):
    with hosts.serve("--devices", "cpu") as server:
        expect(server.devices == 1, f"{server.devices} devices")
        answer = hosts.engine_client("listing", server.address)
        expect(len(answer["devices"]) == 1 and answer["devices"][0].startswith("SKMD"), f"{answer['devices']}")
        expect(hosts.engine_client("adds", server.address) == {"devices": 1, "wrong": 0}, "wrong sums")
        expect(hosts.engine_client("rectangles", server.address)["wrong"] == [], "wrong rectangles")


def test_skmds_daemon_is_killed_or_stopped_in_mid_launch(hosts):
    with hosts.serve("--devices", "cpu") as server:
        for number in (signal.SIGKILL, signal.SIGSTOP):
            daemon = server.daemon()
            loss(hosts, server, lambda pid, number=number: os.kill(pid, number))
            if number == signal.SIGKILL:
                server.wait_ready()
            else:
                os.kill(daemon, signal.SIGCONT)
        expect(hosts.engine_client("adds", server.address)["wrong"] == 0, "wrong sums")


def test_wrong_devices_are_named(hosts):
    run = subprocess.run([*hosts.server_prefix, f"{hosts.build}/bin/skmd-serve", "--listen", hosts.next_address(), "--devices", "none:such"],
                         capture_output=True, text=True, timeout=60, check=False)
    expect(run.returncode == 125 and "none:such" in run.stderr, f"{run}")


def test_a_server_without_devices_is_an_error(hosts):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/none.icd", "w", encoding="ascii") as file:
            file.write("libnone-of-this-name.so\n")
        run = subprocess.run([*hosts.server_prefix, f"{hosts.build}/bin/skmd-serve", "--listen", hosts.next_address(), "--each"], capture_output=True,
                             text=True, timeout=60, check=False, env=hosts.environment(SKMD_VENDORS=folder))
    expect(run.returncode == 1 and "the daemon finds no device" in run.stderr and "serving" not in run.stdout, f"{run}")
