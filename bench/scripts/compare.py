#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Host-to-host times of workloads: each real device through its own driver, and the virtual device, in one run.

    compare.py --build FOLDER [--size SIZE] [--repeat N] [--modes auto,equal] [--devices SELECTORS] [--workloads a,b]
               [--skip SUBSTRING,…] --out FILE

Writes raw JSON: per workload the seconds of every repetition on every device ("vendor") and in every mode ("skmd", with the
driver's statistics). The vendor's runs go through the system's loader without SKMD."""
import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile

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


def real_devices(build):
    """[(platform, device)] of the virtual device's parts, as the drivers name them."""
    done = subprocess.run([f"{build}/bin/skmd-info", "--json"], capture_output=True, text=True, check=True)
    return [(d["platform"], d["name"]) for d in json.loads(done.stdout)["devices"]]


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build")
    parser.add_argument("--size", default="profile1")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--modes", default="auto,equal")
    parser.add_argument("--devices", default="")
    parser.add_argument("--workloads", default=",".join(SIXTEEN))
    parser.add_argument("--skip", default="", help="vendor devices not to measure, by parts of their names")
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--no-check", dest="check", action="store_const", const=[], default=["--check"])
    parser.add_argument("--origin", default="")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    document = {"origin": options.origin, "machine": platform.node(), "cores": os.cpu_count(), "size": options.size,
                "date": datetime.date.today().isoformat(), "command": " ".join(sys.argv), "workloads": {}}
    skipped = [part for part in options.skip.split(",") if part]
    devices = [d for d in real_devices(options.build) if not any(part.lower() in d[1].lower() for part in skipped)]
    for workload in options.workloads.split(","):
        row = document["workloads"][workload] = {"vendor": {}, "skmd": {}}
        for vendor, device in devices:
            row["vendor"][f"{vendor}: {device}"] = attempt(
                [f"{options.build}/bench/{workload}", "--size", options.size, "--repeat", str(options.repeat), "--device",
                 f"{vendor}:{device}"] + options.check, options.timeout)
        for mode in options.modes.split(","):
            row["skmd"][mode] = run_skmd(options, workload, mode)
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=1)
        print(workload, {k: (min(v["seconds"]) if "seconds" in v else v.get("error", "")[:90]) for k, v in {**row["vendor"], **row["skmd"]}.items()},
              flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
