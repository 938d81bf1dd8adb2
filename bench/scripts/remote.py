#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What devices of another host are worth, between two hosts that scripts/bench-remote.sh has made: one JSON file with every figure, and a table.

    remote.py --build FOLDER --address SERVER --client PREFIX --server PREFIX [--rows NAME,…] [--repeat N] [--gpu SELECTOR,SELECTOR] [--out FILE]

Rows: transfers, calls, nbody, slow_link, stencil, peers, loss; gpus, only if named, or with --gpu. Client and server have a processor each where
there are two. Exit status: 0, also where a goal is missed; 1 if a row could not be measured."""
import argparse
import contextlib
import json
import math
import os
import statistics
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TOP, "tests", "remote"))
from hosts import Hosts, expect  # noqa: E402
from skmd_machine import machine, whole_loss  # noqa: E402

from gpu import SIXTEEN, facts  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
MIB64 = 64 << 20
LOSSES = 20
SHORT, SHORT_TURNS = 4, 9  # seconds of the local turns so far below which there is another one, and the most turns of each side
LINK = ["rate", "100mbit", "burst", "64kb", "latency", "400ms"]


class Bench:
    def __init__(self, options):
        self.options = options
        processors = sorted(os.sched_getaffinity(0))
        pins = [["taskset", "-c", str(one)] for one in processors[:2]] if len(processors) > 1 else ([], [])
        self.hosts = Hosts(os.path.abspath(options.build), options.client.split() + pins[0], options.server.split() + pins[1], options.address)
        self.rows = []

    def add(self, name, about, figure, goal, met, **more):
        self.rows.append({"row": name, "about": about, "figure": figure, "goal": goal, "met": bool(met), **more})
        print(f"{name}: {figure:.3f} ({goal}) {'met' if met else 'MISSED'}", flush=True)

    def ratio(self, name, about, figure, least, **more):
        self.add(name, about, figure, f"at least {least:g}", figure >= least, **more)

    @contextlib.contextmanager
    def far(self, devices="cpu", **more):
        """A server, and the client with its folders: (server, machine)."""
        with self.hosts.serve("--devices", devices, SKMD_CPU_THREADS="1", **more) as server, machine(self.hosts) as here:
            yield server, here

    def answer(self, command, **more):
        """The JSON document that a program on the client prints."""
        process = self.hosts.on_client(command, **more)
        output, _ = process.communicate(timeout=600)
        expect(process.returncode == 0, f"{' '.join(command)}: status {process.returncode}")
        return json.loads(output.strip().splitlines()[-1])

    def client(self, *arguments):
        return ["/usr/bin/python3", "-B", f"{HERE}/remote_client.py", *map(str, arguments)]

    def through(self, here, server, options, command, **more):
        """The same through SKMD, and its statistics."""
        run = here.start(here.command(["--hosts", server.address, *options], command), SKMD_CPU_THREADS="1", **more)
        output, stats = here.finish(run, 600)
        return json.loads(output.strip().splitlines()[-1]), stats

    def only_far(self, here, server, command):
        answer, _ = self.through(here, server, ["--devices", f"{server.address}/*", "--partition", "single"], command)
        return answer

    def seconds(self, here, options, program, repeat, **more):
        """Seconds of each repetition of a program of bench/ on the client."""
        command = [f"{self.hosts.build}/bench/{program[0]}", *program[1:], "--repeat", str(repeat)]
        output, _ = here.finish(here.start(here.command(options, command), **{"SKMD_CPU_THREADS": "1", **more}), 600)
        return json.loads(output.strip().splitlines()[-1])["seconds"]


def transfers(bench):
    """64 MiB each way: a plain TCP copy, the engine alone, and SKMD, in turns."""
    address, port = bench.options.address, 10890
    copier = bench.hosts.on_server(bench.client("copy_server", address, port))
    expect(copier.stdout.readline().strip() == "listening", "no server of plain copies")
    taken = {side: {"up": [], "down": []} for side in ("tcp", "engine", "skmd")}
    try:
        with bench.far() as (server, here):
            for _ in range(bench.options.repeat):
                answers = {"tcp": bench.answer(bench.client("copy", address, port, MIB64, 3)),
                           "engine": bench.answer(bench.client("transfers", MIB64, 3, bench.hosts.engine, server.address)),
                           "skmd": bench.only_far(here, server, bench.client("transfers", MIB64, 3))}
                for side, answer in answers.items():
                    kernel = statistics.median(answer.get("kernel", [0]))
                    taken[side]["up"] += [seconds - kernel for seconds in answer["up"]]
                    taken[side]["down"] += answer["down"]
    finally:
        copier.kill()
        copier.wait()
    for way in ("up", "down"):
        times = {side: statistics.median(values[way]) for side, values in taken.items()}
        bench.ratio(f"transfers_{way}", f"64 MiB {way} through SKMD against a plain TCP copy", times["tcp"] / times["skmd"], 0.75,
                    gbps={side: MIB64 / seconds / 1e9 for side, seconds in times.items()}, seconds={side: values[way] for side, values in taken.items()})


def calls(bench):
    """An empty kernel by the engine alone and through SKMD, in turns."""
    taken = {"engine": [], "skmd": []}
    with bench.far() as (server, here):
        for _ in range(bench.options.repeat):
            taken["engine"].append(bench.answer(bench.client("calls", 100, bench.hosts.engine, server.address)))
            taken["skmd"].append(bench.only_far(here, server, bench.client("calls", 100)))
    alone = {side: statistics.median(us for answer in answers for us in answer["alone_us"]) for side, answers in taken.items()}
    more = alone["skmd"] - alone["engine"]
    bench.add("call", "an empty kernel and clFinish through SKMD, microseconds more than by the engine alone", more, "at most 15", more <= 15,
              alone_us=alone, answers=taken)
    rows = {side: {window: statistics.median(us for answer in answers for us in answer["row_us"][window]) for window in answers[0]["row_us"]}
            for side, answers in taken.items()}
    bench.ratio("row", "200 empty kernels in a row through SKMD against the engine's best window", min(rows["engine"].values()) / rows["skmd"]["200"], 0.9,
                row_us=rows)


def nbody(bench):
    program = ["iterate", "--kernel", "nbody", "--size", "16384", "--steps", "12"]
    with bench.far() as (server, here):
        repeat = 3 * bench.options.repeat
        both = bench.seconds(here, ["--hosts", server.address], program, repeat)
        alone = bench.seconds(here, ["--devices", "cpu"], program, repeat)
    bench.ratio("nbody", "iterated nbody, 16,384 bodies, 12 steps: both hosts against the client alone", statistics.median(alone) / statistics.median(both), 1.7,
                seconds={"both": both, "alone": alone})


def limit_link(bench, limited):
    """Both ends; undoing goes on where one end was not limited."""
    verb = ["add", "dev", "eth0", "root", "tbf", *LINK] if limited else ["del", "dev", "eth0", "root"]
    for start in (bench.hosts.on_client, bench.hosts.on_server):
        expect(start(["tc", "qdisc", *verb]).wait() == 0 or not limited, "cannot limit the link")


def slow_link(bench):
    """Each of the sixteen as auto decides, over a link of 100 Mbit/s, against the processor here alone; all repetitions count."""
    expect(bench.options.client, "the loopback cannot be limited")
    entries = []
    try:
        limit_link(bench, True)
        with bench.far() as (server, here):
            for name in SIXTEEN:
                program = [name, "--size", "profile1"]
                turns = {"local": [], "auto": []}
                while len(turns["local"]) < (SHORT_TURNS if sum(map(sum, turns["local"])) < SHORT else 2):
                    turns["local"].append(bench.seconds(here, ["--devices", "cpu"], program, 10))
                    turns["auto"].append(bench.seconds(here, ["--hosts", server.address], program, 10))
                # What each repetition takes as a rule: a process that something else disturbed counts once.
                usual = {side: [statistics.median(of_all) for of_all in zip(*runs)] for side, runs in turns.items()}
                entries.append({"workload": name, "figure": sum(usual["local"]) / sum(usual["auto"]),
                                "later": statistics.median(usual["local"]) / statistics.median(usual["auto"]),
                                "seconds": {side: [seconds for run in runs for seconds in run] for side, runs in turns.items()}})
    finally:
        limit_link(bench, False)
    worst = min(entries, key=lambda entry: entry["figure"])
    bench.ratio("slow_link", f"the sixteen in auto over 100 Mbit/s against the client alone, all repetitions; the least: {worst['workload']}", worst["figure"], 0.97,
                geometric_mean=math.exp(statistics.fmean(math.log(entry["figure"]) for entry in entries)), entries=entries)


def sent(bench):
    """Bytes that the client's end of the link has sent and received."""
    process = bench.hosts.on_client(["cat", "/sys/class/net/eth0/statistics/tx_bytes", "/sys/class/net/eth0/statistics/rx_bytes"])
    return sum(map(int, process.communicate()[0].split()))


def stencil(bench):
    """Bytes a step, by the difference of two lengths: the layer at either side of the border goes over the link. Of each length the least of
    some runs: measuring the link, at a context's first use, sends four mebibytes, or nothing of it where it is slow at that moment."""
    expect(bench.options.client, "bytes on the loopback are those of all processes")
    edge, bytes_of = 64, {}
    with bench.far() as (server, here):
        for steps in (10, 410):
            runs = []
            for _ in range(max(6, bench.options.repeat)):
                before = sent(bench)
                bench.seconds(here, ["--hosts", server.address, "--devices", f"cpu,{server.address}/*", "--partition", "fixed:50,50"],
                              ["iterate", "--kernel", "stencil3d", "--size", str(edge), "--steps", str(steps)], 1)
                runs.append(sent(bench) - before)
            bytes_of[steps] = min(runs)
    layers = 2 * edge * edge * 4
    step = (bytes_of[410] - bytes_of[10]) / 400
    bench.add("stencil", "iterated stencil3d, 64 points along an edge: bytes over the link a step, in halves of the two layers at the border", step / layers,
              "at most 1.1", step <= 1.1 * layers, bytes_a_step=step, layers=layers, bytes=bytes_of)


def loss(bench):
    import random
    import signal
    for name, number in (("killed", signal.SIGKILL), ("stopped", signal.SIGSTOP)):
        moments, late, wrong = random.Random(name), [], []
        with bench.far() as (server, here):
            for _ in range(LOSSES):
                daemon = server.daemon()
                try:
                    late.append(whole_loss(here, server, moments.uniform(0.1, 0.8), lambda pid, number=number: os.kill(pid, number)))
                except AssertionError as error:
                    wrong.append(str(error))
                if number == signal.SIGSTOP:
                    os.kill(daemon, signal.SIGCONT)
                    time.sleep(0.5)
                else:
                    server.wait_ready()
        bench.add(f"loss_{name}", f"the server {name} in mid-launch: right results of {LOSSES}", len(late), f"{LOSSES}, at most 5 s late",
                  len(late) == LOSSES and max(late) <= 5, late_seconds=late, wrong=wrong)


def peers(bench):
    """What SKMD would gain if bytes went from one far host to the other without it; no goal."""
    with bench.far() as (first, _), bench.far() as (second, _):
        answer = bench.answer(bench.client("peers", MIB64, bench.options.repeat, bench.hosts.engine, first.address, second.address))
    kernel = statistics.median(answer.pop("kernel"))
    times = {way: statistics.median(values) - kernel for way, values in answer.items()}
    bench.add("peers", "64 MiB from one server to another by the client, against PoCL's direct way", times["by_client"] / times["directly"], "none", True,
              gbps={way: MIB64 / seconds / 1e9 for way, seconds in times.items()}, seconds=answer)


def gpus(bench):
    """Two GPUs of one machine as if of two: one here, one served. Once the far build has ended and auto has found out what the far device is worth:
    the last two thirds of the repetitions."""
    here_gpu, far_gpu = bench.options.gpu.split(",")
    programs = {"nbody": (["nbody", "--size", "paper"], 1.8), "matrix_multiplication": (["matrix_multiplication", "--size", "paper"], 1.3)}
    with bench.hosts.serve("--devices", far_gpu) as server, machine(bench.hosts) as here:
        for name, (program, least) in programs.items():
            threads = {"SKMD_CPU_THREADS": ""}
            alone = bench.seconds(here, ["--devices", here_gpu], program, 30, **threads)
            both = bench.seconds(here, ["--hosts", server.address, "--devices", f"{here_gpu},{server.address}/*"], program, 30, **threads)
            bench.ratio(f"gpus_{name}", f"{name}, paper: a GPU of each of two hosts against the client's", statistics.median(alone[10:]) / statistics.median(both[10:]),
                        least, seconds={"alone": alone, "both": both})


ROWS = {"transfers": transfers, "calls": calls, "nbody": nbody, "slow_link": slow_link, "stencil": stencil, "peers": peers, "loss": loss, "gpus": gpus}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--address", required=True)
    parser.add_argument("--client", default="")
    parser.add_argument("--server", default="")
    parser.add_argument("--rows", default="")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--gpu", default="")
    parser.add_argument("--out")
    options = parser.parse_args()
    names = [name for name in options.rows.split(",") if name] or [name for name in ROWS if name != "gpus" or options.gpu]
    if unknown := [name for name in names if name not in ROWS]:
        parser.error(f"--rows: {unknown[0]} is none of {', '.join(ROWS)}")
    if "gpus" in names and options.gpu.count(",") != 1:
        parser.error("the row gpus needs --gpu with two selectors")
    bench, failures = Bench(options), []
    for name in names:
        try:
            ROWS[name](bench)
        except (AssertionError, subprocess.SubprocessError, ValueError, OSError) as error:
            failures.append(f"{name}: {error}")
            print(f"{name}: could not be measured: {error}", flush=True)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump({"facts": facts(options.build), "hosts": "namespaces" if options.client else "the loopback", "rows": bench.rows, "failures": failures}, file, indent=1)
            file.write("\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
