#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/poll_server ends itself where the host's writes wait for the kernel, as with SKMD_PREEMPT=off.

usage: poll_server_test.py BUILD
"""
import json
import os
import subprocess
import sys


def main():
    build = sys.argv[1]
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
