#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a change of the compiler changed any code: what one skmd-compile makes of a corpus of kernels, against another.

    corpus.py record FOLDER --compiler SKMD_COMPILE [--random N] [--seed S] [--only NAME]… [--isa ISA]… [--jobs J]
    corpus.py compare FOLDER --compiler SKMD_COMPILE [--jobs J]

The corpus is all of bench/kernels, among them the kernels of the sixteen workloads, or those that --only names, and N random kernels
(tests/driver/random; 200) from seed S on (1). Of each program are taken the machine code for each instruction set, that with checked
accesses for the last one, and the texts of --explain, --rewrite and --merge.

`record` writes the programs and what became of each into FOLDER, which must not exist: exit status, hash of the output, hash of the
messages. `compare` compiles the programs of FOLDER again, and prints what differs, with the command that shows it. The last line is
`N outputs of M programs, K differ`. Exit status 0; 1 if something differs; 2 for wrong use, or where a compiler was not to be started or did
not end within ten minutes."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "driver", "random"))
import bench_kernels  # noqa: E402
from cases import make_case, one_unit_seeds  # noqa: E402
from units import parts  # noqa: E402

ISAS = ("sse", "avx2", "avx512", "avx512vbmi")
TEXTS = ("explain", "rewrite", "merge")
LIST = "corpus.json"
SECONDS = 600


class Unusable(Exception):
    pass


def views_of(isas):
    """{name: arguments of skmd-compile}"""
    views = {f"code for {isa}": ["--kernel-code", "--isa", isa] for isa in isas}
    views.update((f"checked code for {isa}", ["--kernel-code", "--isa", isa, "--check"]) for isa in isas[-1:])
    views.update((f"--{text}", [f"--{text}"]) for text in TEXTS)
    return views


def workloads(only):
    unknown = set(only) - set(bench_kernels.names())
    if unknown:
        raise Unusable(f"bench/kernels has no {', '.join(sorted(unknown))}")
    return {name: ({f"{name}.cl": bench_kernels.source(name)}, list(bench_kernels.MACROS)) for name in only or bench_kernels.names()}


def random_programs(count, seed):
    programs = {}
    for number in one_unit_seeds(seed, count):
        headers, [(options, source)] = parts(make_case(number).case.source)
        programs[f"random{number}"] = ({f"random{number}.cl": source, **headers}, ["-I", ".", *options.split()])
    return programs


def write_programs(folder, programs):
    for name, (files, _) in programs.items():
        os.makedirs(f"{folder}/{name}")
        for file_name, text in files.items():
            with open(f"{folder}/{name}/{file_name}", "w", encoding="utf-8") as file:
                file.write(text)


def command(compiler, name, options, arguments):
    return [compiler, *arguments, f"{name}.cl", *options]


def digest(data):
    return hashlib.sha256(data).hexdigest() if data else ""


def result(folder, compile_command):
    """What a compiler made of a program in `folder`. The folder's own name is nowhere in it."""
    try:
        done = subprocess.run(compile_command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Unusable(f"{shlex.join(compile_command)}: {problem}") from problem
    return {"status": done.returncode, "bytes": len(done.stdout), "output": digest(done.stdout), "messages": digest(done.stderr)}


def compile_all(folder, compiler, listed, jobs):
    """{program: {view: result}} of the programs that a list names."""
    tasks = [(name, view) for name in sorted(listed["programs"]) for view in listed["views"]]

    def run(task):
        name, view = task
        options = listed["programs"][name]["options"]
        return result(f"{folder}/{name}", command(os.path.abspath(compiler), name, options, listed["views"][view]))

    made = {name: {} for name in listed["programs"]}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (name, view), found in zip(tasks, pool.map(run, tasks)):
            made[name][view] = found
    return made


def record(options):
    programs = {**workloads(options.only), **random_programs(options.random, options.seed)}
    listed = {"views": views_of(options.isa or ISAS), "programs": {name: {"options": words} for name, (_, words) in programs.items()}}
    try:
        os.makedirs(options.folder)
    except FileExistsError as problem:
        raise Unusable(f"{options.folder} exists") from problem
    write_programs(options.folder, programs)
    made = compile_all(options.folder, options.compiler, listed, options.jobs)
    for name, results in made.items():
        listed["programs"][name]["results"] = results
    with open(f"{options.folder}/{LIST}", "w", encoding="utf-8") as file:
        json.dump(listed, file, indent=1, sort_keys=True)
    print(f"{len(programs) * len(listed['views'])} outputs of {len(programs)} programs recorded")
    return 0


def difference(before, after):
    """In words; "" if there is none."""
    said = []
    if before["status"] != after["status"]:
        said.append(f"exit status {after['status']} instead of {before['status']}")
    if before["output"] != after["output"]:
        sizes = f"{after['bytes']} instead of {before['bytes']}" if before["bytes"] != after["bytes"] else f"as many, {after['bytes']}"
        said.append(f"other bytes ({sizes})")
    if before["messages"] != after["messages"]:
        said.append("other messages")
    return ", ".join(said)


def compare(options):
    try:
        with open(f"{options.folder}/{LIST}", encoding="utf-8") as file:
            listed = json.load(file)
    except OSError as problem:
        raise Unusable(f"{options.folder} is no record: {problem}") from problem
    made = compile_all(options.folder, options.compiler, listed, options.jobs)
    outputs = differ = 0
    for name, program in sorted(listed["programs"].items()):
        for view, before in sorted(program["results"].items()):
            outputs += 1
            text = difference(before, made[name][view])
            if text:
                differ += 1
                shown = shlex.join(command(os.path.abspath(options.compiler), name, program["options"], listed["views"][view]))
                print(f"DIFFERS {name}, {view}: {text}\n  cd {shlex.quote(options.folder)}/{name} && {shown}")
    print(f"{outputs} outputs of {len(listed['programs'])} programs, {differ} differ")
    return 1 if differ else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, action in (("record", record), ("compare", compare)):
        sub = commands.add_parser(name)
        sub.set_defaults(action=action)
        sub.add_argument("folder")
        sub.add_argument("--compiler", required=True)
        sub.add_argument("--jobs", type=int, default=os.cpu_count())
        if action == record:
            sub.add_argument("--random", type=int, default=200)
            sub.add_argument("--seed", type=int, default=1)
            sub.add_argument("--only", action="append", default=[])
            sub.add_argument("--isa", action="append", choices=ISAS)
    options = parser.parse_args()
    try:
        if not os.access(options.compiler, os.X_OK):
            raise Unusable(f"{options.compiler} is no program")
        return options.action(options)
    except Unusable as problem:
        print(f"corpus.py: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
