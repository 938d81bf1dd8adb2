# SPDX-License-Identifier: Apache-2.0
"""One script as its own application: once on PoCL alone, once through skmd-run in each of several modes."""
import json
import os
import subprocess
import sys
import tempfile

TWO, THREE = "pthread basic", "pthread basic pthread"
# name: POCL_DEVICES, --devices, --partition
MODES = {
    "equal": (TWO, "portable:pthread@discrete,portable:basic@discrete", "equal"),
    "fixed": (TWO, "portable:pthread@discrete,portable:basic", "fixed:30,70"),
    "three": (THREE, "portable:0@discrete,portable:1,portable:2@discrete", "equal"),
    "in_place": (TWO, "portable:pthread,portable:basic", "equal"),
    "auto": (TWO, "portable:pthread@discrete,portable:basic@discrete", "auto"),
    "single": (TWO, "portable:pthread@discrete,portable:basic@discrete", "single"),
    # Our own CPU driver: no kernel may run on another.
    "cpu": (TWO, "cpu", "single"),
    "cpu_discrete": (TWO, "cpu@discrete,portable:basic@discrete", "equal"),
    "cpu_in_place": (TWO, "cpu,portable:basic@discrete", "fixed:30,70"),
}


def outcome(build, folder, mode):
    """Lines that the application wrote, the kernels of the driver's statistics, and those that another CPU driver ran in our
    driver's place; mode None: PoCL alone."""
    path, stats = f"{folder}/{mode}.out", f"{folder}/{mode}.json"
    command = [sys.executable, sys.argv[0], "--child", path]
    environment = {**os.environ, "POCL_DEVICES": "pthread", "PYOPENCL_NO_CACHE": "1"}
    if mode:
        environment["POCL_DEVICES"], devices, partition = MODES[mode]
        environment["SKMD_TEST_CPU_DRIVER"] = "1" if devices.startswith("cpu") else "0"
        command = [f"{build}/bin/skmd-run", "--devices", devices, "--partition", partition, "--stats", stats, "--cache-dir",
                   f"{build}/tests/driver/cache", "--", *command]
    subprocess.run(command, env=environment, check=True, timeout=300)
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if not mode:
        return lines, {}, []
    with open(stats, encoding="utf-8") as file:
        document = json.load(file)
    return lines, {kernel["name"]: kernel for kernel in document["kernels"]}, document.get("other_cpu_driver", {}).get("kernels", [])


def run(application, modes, check, counted, optional="\0"):
    """`application(file)` writes a line "NAME CONTENT" for each result: in each of `modes` they must be those of PoCL alone, but for
    lines with the text `optional`. `check(mode, partition, kernels)` says what is wrong with the statistics, `counted(kernels)`
    what to print of them. Ends the process."""
    if sys.argv[1] == "--child":
        with open(sys.argv[2], "w", encoding="utf-8") as output:
            application(output)
        sys.exit(0)
    build, failures = sys.argv[1], []
    with tempfile.TemporaryDirectory() as folder:
        expected, _, _ = outcome(build, folder, None)
        for mode in modes:
            lines, kernels, elsewhere = outcome(build, folder, mode)
            wrong = [f"{i}:{a.split()[0]}" for i, (a, b) in enumerate(zip(expected, lines))
                     if a != b and optional not in a and optional not in b]
            if wrong or len(lines) != len(expected):
                failures.append(f"{mode}: other results than PoCL alone: {wrong or 'lines are missing'}")
            failures += [f"{mode}: {kernel['name']} ran on another CPU driver: {kernel['reason']}" for kernel in elsewhere]
            failures += [f"{mode} {fault}" for fault in check(mode, MODES[mode][2], kernels)]
            print(mode, counted(kernels))
    print("\n".join(failures) or "ok")
    sys.exit(1 if failures else 0)
