# SPDX-License-Identifier: Apache-2.0
"""Checks one after another, each with a line that says how it ended."""
import json
import subprocess


class Failure(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failure(text)


class Attempts:
    def __init__(self):
        self.failed = False

    def __call__(self, what, test):
        try:
            test()
            print(f"ok      {what}", flush=True)
        except (Failure, subprocess.TimeoutExpired, json.JSONDecodeError) as failure:
            self.failed = True
            print(f"FAILED  {what}: {failure}", flush=True)
