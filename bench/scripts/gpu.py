#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What SKMD is worth on this machine: the sixteen workloads on each real device through its own driver, and through SKMD in several
modes; what a call costs, bare and through SKMD. One JSON file with machine facts and every figure, and a table.

    gpu.py --build FOLDER [--size SIZE] [--repeat N] [--modes equal,auto] [--devices SELECTORS] [--workloads a,b] [--skip PART,…]
           [--timeout S] [--rounds N] [--turns N] [--out FILE]

With --turns, for work of microseconds, which takes longer in one process than in another: N processes of each workload in turn by the
first real device's driver alone and by SKMD as the installed driver, in every mode over each composition (`--devices A+B`).

Exit status 1 if a run through SKMD gave a wrong result or none (one that the time-out ended is told, and is no failure)."""
import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile

VENDORS = "/etc/OpenCL/vendors"
SIXTEEN = ("aes_encrypt aes_decrypt binomial_option black_scholes box_muller fdtd3d histogram matrix_multiplication matrix_transpose "
           "median_filter mersenne_twister nbody reduction scan_large_arrays sobel_filter vector_add").split()


def attempt(command, timeout, env=None):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env={**os.environ, **(env or {})})
    except subprocess.TimeoutExpired:
        return {"error": f"no end within {timeout} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        return {"error": f"exit {done.returncode}: {(done.stderr or done.stdout)[-400:]}"}
    return json.loads(lines[-1])


def run_skmd(options, workload, mode):
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats.json")
        command = [f"{options.build}/bin/skmd-run", "--partition", mode, "--stats", stats]
        if options.devices:
            command += ["--devices", options.devices]
        command += ["--", f"{options.build}/bench/{workload}", "--size", options.size, "--repeat", str(options.repeat)] + options.check
        answer = attempt(command, options.timeout)
        if os.path.exists(stats):
            with open(stats, encoding="utf-8") as file:
                answer["stats"] = json.load(file)
        return answer


def real_devices(build):
    done = subprocess.run([f"{build}/bin/skmd-info", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["devices"]


def first_of(path, start):
    try:
        with open(path, encoding="utf-8") as file:
            return next((line.partition(":")[2].strip() for line in file if line.startswith(start)), "")
    except OSError:
        return ""


def facts(build):
    return {"processor": first_of("/proc/cpuinfo", "model name"), "cores": os.cpu_count(),
            "memory": first_of("/proc/meminfo", "MemTotal"), "kernel": platform.release(),
            "date": datetime.date.today().isoformat(), "devices": real_devices(build)}


def only(folder, library):
    """Environment of an application whose loader finds this library and no other: ocl-icd reads the folder, CUDA's loader the list."""
    os.makedirs(folder)
    with open(os.path.join(folder, "one.icd"), "w", encoding="utf-8") as file:
        file.write(library + "\n")
    return {"OCL_ICD_VENDORS": folder, "OCL_ICD_FILENAMES": library}


def libraries():
    for name in sorted(os.listdir(VENDORS)):
        if name.endswith(".icd"):
            with open(os.path.join(VENDORS, name), encoding="utf-8") as file:
                yield file.readline().strip()


def call_costs(build, rounds):
    """{device: rounds of {without, with}}: per vendor its first device, bare and through SKMD in turn."""
    rows = {}
    probe = f"{build}/bench/micro/call_cost"
    with tempfile.TemporaryDirectory() as folder:
        ours = only(os.path.join(folder, "skmd"), os.path.abspath(f"{build}/lib/libskmd.so"))
        for number, library in enumerate(libraries()):
            if "skmd" in library:
                continue
            vendor = os.path.join(folder, str(number))
            bare = only(vendor, library)
            # Over that driver's device alone: SKMD's own would be a second one.
            through = {**ours, "SKMD_VENDORS": vendor, "SKMD_CACHE_DIR": os.path.join(folder, "cache"), "SKMD_TEST_CPU_DRIVER": "0"}
            pairs = [{"without": attempt([probe], 120, bare), "with": attempt([probe], 120, through)} for _ in range(rounds)]
            if all("error" not in side for pair in pairs for side in pair.values()):
                rows[pairs[0]["without"]["device"]] = pairs
    return rows


def measure(options, workload, devices):
    row = {"vendor": {}, "skmd": {}}
    command = [f"{options.build}/bench/{workload}", "--size", options.size, "--repeat", str(options.repeat)] + options.check
    for name in dict.fromkeys(f"{device['platform']}:{device['name']}" for device in devices):  # of GPUs of one name the first
        row["vendor"][name] = attempt(command + ["--device", name], options.timeout)
    for mode in options.modes.split(","):
        row["skmd"][mode] = run_skmd(options, workload, mode)
    return row


def settled(answer):
    """The repetitions behind the first quarter."""
    return answer["seconds"][len(answer["seconds"]) // 4:]


def in_turns(options, devices):
    """{workload, variant, medians, fastest}: of each process its median and its fastest repetition, in seconds."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        ours = only(os.path.join(folder, "skmd"), os.path.abspath(f"{options.build}/lib/libskmd.so"))
        alone = ["--device", f"{devices[0]['platform']}:{devices[0]['name']}"]
        sides = {"the driver alone": (alone, {})}
        for composition in options.devices.split("+"):
            for mode in options.modes.split(","):
                sides[f"{composition}, `{mode}`"] = ([], {**ours, "SKMD_DEVICES": composition, "SKMD_PARTITION": mode})
        for workload in options.workloads.split(","):
            command = [f"{options.build}/bench/{workload}", "--size", options.size, "--repeat", str(options.repeat)] + options.check
            answers = {name: [] for name in sides}
            for _ in range(options.turns):
                for name, (more, env) in sides.items():
                    answers[name].append(attempt(command + more, options.timeout, env))
            for name, each in answers.items():
                wrong = [answer for answer in each if not answer.get("ok")]
                good = [settled(answer) for answer in each if answer.get("ok")]
                rows.append({"workload": workload, "variant": name, "medians": [statistics.median(seconds) for seconds in good],
                             "fastest": [min(seconds) for seconds in good], "wrong": wrong})
    return rows


def turns_table(rows):
    lines = ["workload               by                                           us   ratio"]
    first = {}
    for row in rows:
        if not row["medians"]:
            continue
        middle = statistics.median(row["medians"])
        first.setdefault(row["workload"], middle)
        lines.append(f"{row['workload']:<22} {row['variant'][-38:]:<38} {middle * 1e6:8.1f} {middle / first[row['workload']]:7.2f}")
    return "\n".join(lines)


def best(answers):
    """(seconds, name) of the fastest, by its fastest repetition."""
    known = [(min(answer["seconds"]), name) for name, answer in answers.items() if "seconds" in answer]
    return min(known, default=(None, "none"))


def table(document):
    modes = document["modes"]
    lines = ["workload               best single device                 seconds" + "".join(f"{mode:>12}{'ratio':>8}" for mode in modes)]
    for workload, row in document["workloads"].items():
        seconds, name = best(row["vendor"])
        line = f"{workload:<22} {name[-34:]:<34} {seconds:7.4f}" if seconds else f"{workload:<22} {'none ended':<42}"
        for mode in modes:
            answer = row["skmd"][mode]
            if "seconds" not in answer:
                line += f"{'-':>12}{'':>8}"
                continue
            ours = min(answer["seconds"])
            line += f"{ours:12.4f}" + (f"{ours / seconds:8.2f}" if seconds else f"{'':>8}")
        lines.append(line)
    return "\n".join(lines)


def failures(document):
    return [f"{workload}, {mode}: {answer.get('error', 'a wrong result')}" for workload, row in document["workloads"].items()
            for mode, answer in row["skmd"].items()
            if not answer.get("ok") and not answer.get("error", "").startswith("no end within")]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--size", default="paper")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--modes", default="equal,auto")
    parser.add_argument("--devices", default="", help="what the virtual device is made of, as skmd-run's")
    parser.add_argument("--workloads", default=",".join(SIXTEEN))
    parser.add_argument("--skip", default="", help="real devices not to measure alone, by parts of their names")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--rounds", type=int, default=5, help="of call costs; 0: none")
    parser.add_argument("--turns", type=int, default=0, help="processes of each in turn, instead of all that")
    parser.add_argument("--no-check", dest="check", action="store_const", const=[], default=["--check"])
    parser.add_argument("--out", default="bench-gpu.json")
    return parser.parse_args()


def write(options, document):
    with open(options.out + ".part", "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
    os.replace(options.out + ".part", options.out)


def main():
    options = arguments()
    os.environ.setdefault("SKMD_PROFILE_DB", "off")  # else later rounds would know what earlier ones measured
    skipped = [part.lower() for part in options.skip.split(",") if part]
    document = {"machine": facts(options.build), "command": " ".join(sys.argv), "size": options.size, "modes": options.modes.split(",")}
    devices = [d for d in document["machine"]["devices"] if not any(part in d["name"].lower() for part in skipped)]
    if options.turns:
        document["rows"] = in_turns(options, devices)
        write(options, document)
        print(turns_table(document["rows"]))
        wrong = [f"{row['workload']}, {row['variant']}: {answer.get('error', 'a wrong result')}" for row in document["rows"]
                 for answer in row["wrong"]]
    else:
        document.update(calls=call_costs(options.build, options.rounds) if options.rounds else {}, workloads={})
        for workload in options.workloads.split(","):
            document["workloads"][workload] = measure(options, workload, devices)
            write(options, document)
        print(table(document))
        wrong = failures(document)
    for text in wrong:
        print(f"FAILED {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
