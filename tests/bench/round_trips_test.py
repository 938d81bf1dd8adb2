# SPDX-License-Identifier: Apache-2.0
"""round_trips_test.py PROGRAM: one line of JSON with the windows that there were repetitions for, and the calls in each."""
import json
import subprocess
import sys

CALLS = ["write", "arguments", "launch", "read", "total"]


def windows(*options):
    done = subprocess.run([sys.argv[1], *options], capture_output=True, text=True, check=True)
    (line,) = done.stdout.splitlines()
    return json.loads(line)


plain = windows("--repeat", "18")
assert list(plain) == ["1 to 16", "17 to 18"], plain
for window in plain.values():
    assert list(window) == [*CALLS, "longest"], window
    assert 0 < window["total"] <= window["longest"], window
    assert max(window[call] for call in CALLS[:4]) <= window["longest"], window
assert list(windows("--repeat", "161")) == ["1 to 16", "17 to 48", "49 to 160", "161 to 161"]
timed = windows("--repeat", "3", "--profile")
assert list(timed) == ["1 to 3"] and timed["1 to 3"]["computing"] > 0, timed
assert subprocess.run([sys.argv[1], "--repeat", "0"], capture_output=True).returncode == 2
