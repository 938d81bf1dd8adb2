# SPDX-License-Identifier: Apache-2.0
"""Workloads that run when they are asked to (`--serve`), and turns in which those of all sides are there at the same time."""
import json
import os
import random
import subprocess
import threading


class Served:
    """One process of a side. `plain`: no kernel is timed. It is killed after `timeout` seconds, if given."""

    def __init__(self, bench, unit, side, plain=False, timeout=None):
        env = {**os.environ, **bench.environment(unit, side)}
        command = [*bench.command(unit), "--serve", *(["--plain"] if plain else []), *side.arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env)
        self.watchdog = None
        if timeout:
            self.watchdog = threading.Timer(timeout, self.process.kill)
            self.watchdog.daemon = True
            self.watchdog.start()

    def run(self, times):
        """Seconds of each of the next repetitions, which follow each other at once. Raises OSError if the process has ended, ValueError if it
        answers with anything but JSON."""
        self.process.stdin.write("run\n" * times)
        self.process.stdin.flush()
        seconds = []
        for _ in range(times):
            answer = self.process.stdout.readline()
            if not answer:
                raise OSError("the workload ended")
            seconds.append(json.loads(answer)["seconds"])
        return seconds

    def close(self):
        """Blocks until the process has ended."""
        try:
            self.process.stdin.close()
        except OSError:  # it has ended already
            pass
        self.process.stdout.close()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.watchdog:
            self.watchdog.cancel()


# Rows into which the repetitions behind the first are cut. Few, so that most of a row runs with warm caches, as in a process alone.
BLOCKS = 3


def blocks(repetitions):
    """The lengths of the rows, of which none is shorter than the others by more than one."""
    return [length for length in (repetitions * (i + 1) // BLOCKS - repetitions * i // BLOCKS for i in range(BLOCKS)) if length]


def run_together(bench, unit, sides, repetitions, number):
    """{name: seconds of each repetition, or None where the process ended}: a process of each side, all at the same time, a few repetitions of each in turn.
    The machine's state then is about the same for all sides (docs/results/prediction.md). Orders look random and are the same for the same `number`."""
    processes, seconds = {}, {side.name: [] for side in sides}

    def run(name, times):
        try:
            seconds[name] = None if seconds[name] is None else seconds[name] + processes[name].run(times)
        except (OSError, ValueError):
            seconds[name] = None

    order = random.Random(number)
    try:
        # A process that starts would disturb those that run.
        for side in order.sample(sides, len(sides)):
            processes[side.name] = Served(bench, unit, side, plain=True, timeout=bench.timeout * len(sides))
            run(side.name, 1)
        for block in blocks(repetitions - 1):
            for name in order.sample(sorted(processes), len(processes)):
                run(name, block)
    finally:
        for process in processes.values():
            process.close()
    return seconds
