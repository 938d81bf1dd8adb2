#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a workload with --check and the given options; its only output must be one JSON line of the agreed shape."""
import json
import os
import subprocess
import sys


def value_after(arguments, option, default):
    return arguments[arguments.index(option) + 1] if option in arguments else default


def main():
    program, *options = sys.argv[1:]
    name = os.path.basename(program)
    done = subprocess.run([program, *options, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    lines = done.stdout.splitlines()
    assert len(lines) == 1, done.stdout
    answer = json.loads(lines[0])
    keys = ["workload", "size", "memory", "seconds", "checked", "ok"]
    if name == "iterate":
        keys = ["workload", "kernel", "size", "steps", "memory", "seconds", "checked", "ok"]
        assert answer["kernel"] == value_after(options, "--kernel", None), answer
        assert answer["steps"] == int(value_after(options, "--steps", 0)), answer
    assert list(answer) == keys, answer
    assert answer["workload"] == name, answer
    assert answer["memory"] == value_after(options, "--memory", "pageable"), answer
    assert answer["size"] == value_after(options, "--size", None), answer
    assert len(answer["seconds"]) == int(value_after(options, "--repeat", 1)), answer
    assert all(isinstance(s, float) and s > 0 for s in answer["seconds"]), answer
    assert answer["checked"] == "all", answer
    assert answer["ok"] is True, answer


if __name__ == "__main__":
    main()
