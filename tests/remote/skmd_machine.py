# SPDX-License-Identifier: Apache-2.0
"""SKMD on the client: programs under skmd-run, what their statistics say, and launches whose server is lost. For the tests here and for
bench/scripts/remote.py."""
import contextlib
import json
import subprocess
import sys
import tempfile
import time

from hosts import HERE, expect, output_of


class Machine:
    """The client with folders of its own for what SKMD stores."""

    def __init__(self, hosts, folder):
        self.hosts, self.folder = hosts, folder

    def environment(self, **more):
        return self.hosts.plain_environment(**{"SKMD_CACHE_DIR": f"{self.folder}/cache", "SKMD_PROFILE_DB": "off", **more})

    def start(self, command, **more):
        return subprocess.Popen([*self.hosts.client_prefix, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=self.environment(**more))

    def command(self, options, program):
        return [f"{self.hosts.client_build}/bin/skmd-run", "--stats", f"{self.folder}/stats.json", "--log", f"info:{self.folder}/log", *options, "--", *program]

    def finish(self, run, seconds=120):
        """What it printed; its statistics."""
        output, errors = output_of(run, seconds)
        expect(run.returncode == 0, f"status {run.returncode}: {output[-300:]} {errors[-600:]}")
        with open(f"{self.folder}/stats.json", encoding="utf-8") as file:
            return output, json.load(file)

    def run(self, options, *program, seconds=120, **more):
        return self.finish(self.start(self.command(options, program), **more), seconds)

    def bench(self, options, name, *arguments):
        output, stats = self.run(options, f"{self.hosts.client_build}/bench/{name}", *arguments, "--check")
        expect('"ok":true' in output.replace(" ", ""), f"{name}: {output[-300:]}")
        return stats


@contextlib.contextmanager
def machine(hosts):
    with tempfile.TemporaryDirectory() as folder:
        yield Machine(hosts, folder)


def start_long(here, server, partition="fixed:50,50"):
    run = here.start(here.command(["--hosts", server.address, "--devices", f"cpu,{server.address}/*", "--partition", partition],
                                  [sys.executable, "-B", f"{HERE}/long_launch.py"]), SKMD_CPU_THREADS="1")
    words = run.stdout.readline().split()
    expect(words[:1] == ["launched"], "no launch")
    return run, float(words[1])


def whole_loss(here, server, part, lose):
    """Loses the server of half a launch, `part` of the way through. The program's own result is right. Returns how many seconds later it came than if
    that half had been begun here at once, behind what is left of the other half."""
    run, length = start_long(here, server)
    time.sleep(part * length)
    lose(server.daemon())
    start = time.monotonic()
    output, stats = here.finish(run, 60)
    took = time.monotonic() - start
    answer = json.loads(output.strip().splitlines()[-1])
    expect(answer["wrong"] == 0, f"lost after {part:.2f} of the way: {answer}")
    expect(stats["hosts"][0]["lost"], f"the loss is not told: {stats['hosts']}")
    return max(took - (2 - part) * length, 0)
