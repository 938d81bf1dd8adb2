#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/poll_server is served by the CPU driver, whose launches are left inside of a work-group for the host's transfers; also where these
go to a device with a memory of its own. It ends itself where the host's writes wait for the kernel, as with SKMD_PREEMPT=off.

usage: poll_server_test.py BUILD
"""
import json
import os
import subprocess
import sys
import tempfile


def serve(build, devices):
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        command = [f"{build}/bin/skmd-run", "--devices", devices, "--stats", stats, "--cache-dir", f"{build}/tests/driver/cache", "--",
                   f"{build}/bench/poll_server", "--requests", "20", "--check", "--timeout", "100"]
        done = subprocess.run(command, env={**os.environ, "SKMD_TEST_CPU_DRIVER": "1"}, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"exit {done.returncode}: {done.stdout}{done.stderr}"
        assert json.loads(done.stdout)["ok"], done.stdout
        with open(stats, encoding="utf-8") as file:
            [kernel] = json.load(file)["kernels"]
    preempt = kernel["preempt"]
    assert preempt["form"] == "item" and preempt["saved_groups"] >= 20 and preempt["resumed_items"] >= 20, preempt


def moves(build, cpus):
    """The kernel moves to another device where the command line names none."""
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        command = [f"{build}/bin/skmd-run", "--devices", "cpu", "--stats", stats, "--cache-dir", f"{build}/tests/driver/cache", "--",
                   f"{build}/bench/poll_server", "--requests", "20", "--move-after", "10", "--check", "--timeout", "100"]
        environment = {**os.environ, "SKMD_TEST_CPU_DRIVER": "1", "SKMD_TEST_CPUS": cpus, "XDG_RUNTIME_DIR": folder}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"exit {done.returncode}: {done.stdout}{done.stderr}"
        with open(stats, encoding="utf-8") as file:
            [kernel] = json.load(file)["kernels"]
    moved = kernel["preempt"]["moved_inside"]
    is_other = len(cpus.split(",")) > 1
    assert json.loads(done.stdout)["asked_to_move"] is is_other and (sum(moved) > 0) is is_other, f"{cpus}: {done.stdout} {moved}"


def main():
    build = sys.argv[1]
    serve(build, "cpu")
    moves(build, "best:1,sse:1@discrete")
    moves(build, "best:1")
    serve(build, "cpu@discrete")
    command = [f"{build}/bin/skmd-run", "--devices", "cpu", "--cache-dir", f"{build}/tests/driver/cache", "--", f"{build}/bench/poll_server",
               "--requests", "10", "--check"]
    environment = {**os.environ, "SKMD_TEST_CPU_DRIVER": "1", "SKMD_PREEMPT": "off"}
    done = subprocess.run([*command, "--timeout", "1"], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 3, f"exit {done.returncode}: {done.stdout}{done.stderr}"
    assert json.loads(done.stdout) == {"program": "poll_server", "requests": 10, "answered": 0, "timed_out": True, "ok": False}, done.stdout
    assert "no end after 1 seconds" in done.stderr, done.stderr
    done = subprocess.run([*command, "--timeout", "-1"], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, f"exit {done.returncode}: {done.stdout}{done.stderr}"


if __name__ == "__main__":
    main()
