#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whether results are right on this machine's GPUs: the workloads with --check, the API's tests, random kernels, clpeak and programs of
other projects that check themselves, over one GPU with the processor and over all GPUs, with it and without.

    check_gpu.py --build FOLDER [--gpus nvidia:0,…] [--parts workloads,preempt,api,random,clpeak,programs] [--sizes small,paper] [--modes equal,auto]
                 [--workloads a,b] [--compositions "gpu,2 gpus"] [--random N] [--random-modes a,b] [--programs TEXT] [--timeout S] [--out FILE]

FOLDER is a build or an unpacked bundle that was made with its tests. --out gets a line of JSON for each run, as they end. Exit status 1 if
anything was wrong or did not end."""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SIXTEEN = ("aes_encrypt aes_decrypt binomial_option black_scholes box_muller fdtd3d histogram matrix_multiplication matrix_transpose "
           "median_filter mersenne_twister nbody reduction scan_large_arrays sobel_filter vector_add").split()
PARTS = ("workloads", "preempt", "api", "random", "clpeak", "programs")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--gpus", default="", help="selectors with commas between; default: every GPU that skmd-info tells of")
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--sizes", default="small,paper")
    parser.add_argument("--modes", default="equal,auto")
    parser.add_argument("--workloads", default=",".join(SIXTEEN))
    parser.add_argument("--compositions", default="", help="gpu, gpu+cpu, 4 gpus, 4 gpus+cpu, as many as there are; default: all")
    parser.add_argument("--random", type=int, default=500, help="programs")
    parser.add_argument("--programs", default="", help="only programs whose name holds this text")
    parser.add_argument("--random-modes", default="", help="of random_test.py: gpu_and_cpu,gpu_auto for every program in both; where there are more GPUs, gpus,gpus_and_cpu")
    parser.add_argument("--seed", type=int, default=1, help="of the first random case")
    parser.add_argument("--jobs", type=int, default=8, help="random cases at once")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for each program")
    parser.add_argument("--alone", default="/etc/OpenCL/vendors/nvidia.icd", help="the GPUs' own .icd file, which says what random kernels compute")
    parser.add_argument("--out", default="check-gpu.jsonl")
    return parser.parse_args()


def attempt(command, timeout, env=None):
    """-> exit status (None: it did not end), standard output, end of standard error."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env={**os.environ, **(env or {})}, errors="replace")
    except subprocess.TimeoutExpired:
        return None, "", f"no end within {timeout} s"
    return done.returncode, done.stdout, done.stderr[-(4000 if "crash: " in done.stderr else 400):]


def gpus_of(build):
    """Selectors of the GPUs that are there, by their platforms' first words and their places in them."""
    done = subprocess.run([f"{build}/bin/skmd-info", "--json"], capture_output=True, text=True, check=True)
    places, selectors = {}, []
    for device in json.loads(done.stdout)["devices"]:
        if device["kind"] == "gpu":
            word = device["platform"].split()[0].lower()
            selectors.append(f"{word}:{places.get(word, 0)}")
            places[word] = places.get(word, 0) + 1
    return selectors


def compositions(options):
    """name -> SKMD_DEVICES"""
    gpus = options.gpus
    made = {"gpu": gpus[0], "gpu+cpu": f"cpu,{gpus[0]}"}
    if len(gpus) > 1:
        made |= {f"{len(gpus)} gpus": ",".join(gpus), f"{len(gpus)} gpus+cpu": ",".join(["cpu", *gpus])}
    wanted = [name for name in options.compositions.split(",") if name]
    return {name: devices for name, devices in made.items() if not wanted or name in wanted}


def check_workloads(options, note):
    for size in options.sizes.split(","):
        for composition, devices in compositions(options).items():
            for mode in options.modes.split(","):
                for workload in options.workloads.split(","):
                    status, output, errors = attempt([f"{options.build}/bin/skmd-run", "--devices", devices, "--partition", mode, "--",
                                                      f"{options.build}/bench/{workload}", "--size", size, "--check"], options.timeout)
                    ok = status == 0 and '"ok":true' in output
                    note(ok, part="workloads", what=workload, size=size, devices=composition, mode=mode, status=status,
                         trouble="" if ok else (output[-300:] + errors))


def stopped(options, composition, devices, workload, note):
    """Launches that are stopped at random inside of groups, and go on, on another device where there is one."""
    size = "small" if workload == "nbody" else "profile1"
    with tempfile.TemporaryDirectory() as folder:
        stats = f"{folder}/stats.json"
        status, output, errors = attempt([f"{options.build}/bin/skmd-run", "--devices", devices, "--partition", "equal", "--stats", stats, "--", f"{options.build}/bench/{workload}",
                                          "--size", size, "--repeat", "3", "--check"], options.timeout,
                                         {"SKMD_PREEMPT": "item", "SKMD_TEST_YIELDS": "every", "SKMD_TEST_PREEMPT": "3:100:other"})
        ok = status == 0 and '"ok":true' in output
        tally = {"stops": 0, "saved": 0, "moved": []}
        if ok:
            with open(stats, encoding="utf-8") as file:
                found = [kernel["preempt"] for kernel in json.load(file)["kernels"]]
            tally = {"forms": sorted({one["form"] for one in found}), "stops": sum(one["stops"] for one in found), "saved": sum(one["saved_groups"] for one in found),
                     "moved": [sum(groups) for groups in zip(*(one["moved_groups"] for one in found))]}
        note(ok, part="preempt", what=workload, size=size, devices=composition, status=status, **tally, trouble="" if ok else output[-300:] + errors)
    return tally


def check_preempt(options, note):
    for composition, devices in compositions(options).items():
        tallies = [stopped(options, composition, devices, workload, note) for workload in options.workloads.split(",")]
        moved = [sum(groups) for groups in zip(*(tally["moved"] for tally in tallies if tally["moved"]))]
        one = len(devices.split(",")) == 1
        note(sum(tally["saved"] for tally in tallies) > 0 and (one or all(moved)), part="preempt", what="groups saved inside, and moved to each device", devices=composition,
             moved=moved)
    status, output, errors = attempt([f"{options.build}/bin/skmd-run", "--devices", options.gpus[0], "--", f"{options.build}/bench/poll_server", "--requests", "200", "--check"],
                                     options.timeout)
    ok = status == 0 and '"ok":true' in output
    note(ok, part="preempt", what="poll_server", devices="gpu", status=status, trouble="" if ok else output[-300:] + errors)


def tests_of_the_api(build):
    folder = f"{build}/tests/intercept/api"
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [f"{folder}/{name}" for name in names if re.fullmatch(r"api_(image|kernel|memory|program|queue)_test", name)]


def check_api(options, note):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/skmd.icd", "w", encoding="utf-8") as file:
            file.write(os.path.abspath(f"{options.build}/lib/libskmd.so.0") + "\n")
        for composition, devices in compositions(options).items():
            for program in tests_of_the_api(options.build):
                env = {"OCL_ICD_VENDORS": folder, "OCL_ICD_FILENAMES": f"{options.build}/lib/libskmd.so.0", "SKMD_DEVICES": devices,
                       "SKMD_PARTITION": "equal", "SKMD_CACHE_DIR": f"{folder}/cache", "POCL_CACHE_DIR": f"{folder}/pocl",
                       "LD_LIBRARY_PATH": f"{options.build}/lib/fallback"}
                status, output, errors = attempt([program], options.timeout, env)
                failed = sorted(set(re.findall(r"\[  FAILED  \] (\w+\.\w+)", output)))
                passed = len(re.findall(r"\[       OK \]", output))
                ok = status == 0 and passed > 0
                note(ok, part="api", what=os.path.basename(program), devices=composition, passed=passed, failed=failed, status=status,
                     trouble="" if ok else errors or output[-3000:])


def check_random(options, note):
    command = [sys.executable, "-B", f"{HERE}/../driver/random/random_test.py", options.build, str(options.random), "--seed", str(options.seed), "--jobs",
               str(options.jobs), "--gpus", ",".join(options.gpus), "--alone", options.alone, "--modes", options.random_modes]
    status, output, errors = attempt(command, max(options.timeout, 480), {"LD_LIBRARY_PATH": f"{options.build}/lib/fallback"})
    lines = output.splitlines()
    note(status == 0, part="random", what=lines[-1] if lines else "", status=status,
         tally=[line for line in lines if line.startswith(("launches:", "rung_buffers:", "modes:", "not_split:"))],
         trouble=[line[:400] for line in lines if line.startswith(("FAILED", "PoCL's fault"))][:60] or errors)


def check_clpeak(options, note):
    program = next((path for path in (f"{options.build}/tests/bin/clpeak", "/usr/bin/clpeak") if os.path.exists(path)), None)
    if program is None:
        print("clpeak: not installed")
        return
    for composition, devices in compositions(options).items():
        status, output, errors = attempt([f"{options.build}/bin/skmd-run", "--devices", devices, "--", program], options.timeout)
        figures = re.findall(r"^\s+(\w+)\s+: ([\d.]+)", output, re.M)
        note(status == 0 and len(figures) > 10, part="clpeak", what="clpeak", devices=composition, status=status, figures=dict(figures), trouble=errors)


def carried_programs(options):
    """Tests of the suites (tests/suites) whose programs are there: in the bundle, or installed. Of clinfo not the list of properties, since
    every driver has some of its own."""
    sys.path.insert(0, f"{HERE}/../suites")
    import clblast  # pylint: disable=import-outside-toplevel
    import clfft  # pylint: disable=import-outside-toplevel
    import clinfo  # pylint: disable=import-outside-toplevel
    for suite in (clinfo, clfft, clblast):
        for test in suite.SUITE.tests(False):
            name = os.path.basename(test.argv[0])
            program = next((path for path in (f"{options.build}/tests/bin/{name}", f"/usr/bin/{name}") if os.path.exists(path)), None)
            if program and options.programs in f"{suite.SUITE.name} {test.name}" and (suite is not clinfo or test.name != "raw"):
                yield suite.SUITE.name, test, [program, *test.argv[1:]]


def check_programs(options, note):
    """What passes on the GPUs' own driver alone has to pass through SKMD."""
    sys.path.insert(0, f"{HERE}/../suites")
    from harness import Finished  # pylint: disable=import-outside-toplevel
    with open(options.alone, encoding="utf-8") as file:
        alone = {"OCL_ICD_VENDORS": options.alone, "OCL_ICD_FILENAMES": file.readline().strip()}
    libraries = {"LD_LIBRARY_PATH": f"{options.build}/lib/fallback"}
    for suite, test, command in carried_programs(options):
        status, output, errors = attempt(command, options.timeout, {**libraries, **alone})
        passed = {name for name, outcome in test.read(Finished(status, output + errors, "")).items() if outcome == "pass"}
        if not passed:
            print(f"{suite} {test.name}: the GPUs' own driver passes nothing of it", flush=True)
            continue
        for composition, devices in compositions(options).items():
            for mode in options.modes.split(","):
                status, output, errors = attempt([f"{options.build}/bin/skmd-run", "--devices", devices, "--partition", mode, "--", *command],
                                                 options.timeout, libraries)
                outcomes = test.read(Finished(status, output + errors, ""))
                missing = sorted(name for name in passed if outcomes.get(name) != "pass")
                note(not missing, part="programs", what=f"{suite} {test.name}", devices=composition, mode=mode, status=status, passed=len(passed),
                     failed=missing[:20], trouble="" if not missing else output[-300:] + errors)


def main():
    options = arguments()
    options.build = os.path.abspath(options.build)
    options.gpus = [name for name in options.gpus.split(",") if name] or gpus_of(options.build)
    if not options.gpus:
        print("there is no GPU")
        return 1
    trace = f"{options.build}/tests/gpu/crash_trace.so"
    if os.path.exists(trace):
        os.environ["LD_PRELOAD"] = trace  # for all that is started
    counts = [0, 0]
    start = time.monotonic()
    with open(options.out, "w", encoding="utf-8") as out:
        def note(ok, **row):
            counts[not ok] += 1
            out.write(json.dumps({"ok": ok, **row, "at": round(time.monotonic() - start, 1)}) + "\n")
            out.flush()
            if not ok:
                print("WRONG", json.dumps(row)[:600], flush=True)
        for part in options.parts.split(","):
            {"workloads": check_workloads, "preempt": check_preempt, "api": check_api, "random": check_random, "clpeak": check_clpeak,
             "programs": check_programs}[part](options, note)
    print(f"{counts[0]} passed, {counts[1]} failed")
    return 1 if counts[1] or not counts[0] else 0


if __name__ == "__main__":
    sys.exit(main())
