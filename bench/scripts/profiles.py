#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Records the profiles that SKMD ships: real runs of the sixteen workloads in profiling mode on this machine's devices, and calibrations,
as one file of JSON lines for each kind of device.

    profiles.py --build FOLDER --out FOLDER [--devices SELECTOR,…] [--tags calibration,profile1,profile2,paper] [--workloads a,b]
                [--seconds S]

What was measured is kept in OUT/profile.db, so that a later call goes on where this one stopped: no part is begun behind S seconds. Files
are written at the end of each call. Exit status: 0 if all parts are there, 3 if there are more to do, 1 if one failed, 2 for a wrong
option."""
import argparse
import json
import os
import re
import subprocess
import sys
import time

from gpu import SIXTEEN

# A launch of this many seconds gets fewer random spans: 128 of them take about 64 times as long as the launch.
LONG_SECONDS = 1.0
MANY, FEW = "random:128", "random:32"
# Runs of each span, more than skmd-profile makes by itself: what is shipped is recorded once and read by many. Launches of LONG_SECONDS
# or more are left to skmd-profile.
RUNS = 5
MOST_BYTES = 2 << 20
KNOWN_TAGS = ("calibration", "small", "profile1", "profile2", "paper")


def file_name(line):
    """Of the profiles of the device of a line: nvidia-h100.jsonl, or cpu-ISA.jsonl for SKMD's own CPU driver, whose code is of an ISA."""
    gpu = re.search(r"\b(h100|h200|a100|l40s?|b200|[gr]tx *\d+)\b", line["device"], re.I)
    vendor = line["platform"].split()[0].lower()
    return f"{vendor}-{gpu.group(1).lower().replace(' ', '')}" if gpu else None


class Recorder:
    def __init__(self, options):
        self.options = options
        self.database = os.path.join(options.out, "profile.db")
        self.state = os.path.join(options.out, "done.json")
        self.end = time.monotonic() + options.seconds
        self.done = {}
        if os.path.exists(self.state):
            with open(self.state, encoding="utf-8") as file:
                self.done = json.load(file)
        # Samples from before are not this machine's: SKMD takes in its own shipped profiles at the first use of a database.
        self.begun = self.done.setdefault("begun", {"status": 0, "date": int(time.time())})["date"]

    def skmd(self, program, *words, timeout=None):
        command = [f"{self.options.build}/bin/{program}", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)

    def profile(self, *words, timeout=None):
        return self.skmd("skmd-profile", "--db", self.database, "--no-progress", *words, timeout=timeout)

    def note(self, part, entry):
        self.done[part] = entry
        with open(self.state + ".unready", "w", encoding="utf-8") as file:
            json.dump(self.done, file, indent=1)
        os.replace(self.state + ".unready", self.state)

    def launch_seconds(self, workload, device):
        """Of the longest kernel's launch at the paper's size; 0 where it is not known."""
        stats = os.path.join(self.options.out, "stats.json")
        self.skmd("skmd-run", "--profile-db", "off", "--devices", device, "--stats", stats, "--", f"{self.options.build}/bench/{workload}",
                  "--size", "paper", "--repeat", "1", timeout=300)
        try:
            with open(stats, encoding="utf-8") as file:
                kernels = json.load(file)["kernels"]
            os.unlink(stats)
        except (OSError, ValueError):
            return 0.0
        return max((kernel["seconds"] / max(kernel["launches"], 1) for kernel in kernels), default=0.0)

    def run(self, device, tag, workload):
        begin = time.monotonic()
        spans, runs = "paper", ("--repeat", str(RUNS))
        if tag == "paper":
            is_long = self.launch_seconds(workload, device) > LONG_SECONDS
            spans, runs = (FEW, ()) if is_long else (MANY, runs)
        done = self.profile("--json", "run", "--devices", device, "--tag", tag, "--spans", spans, *runs, "--",
                            f"{self.options.build}/bench/{workload}", "--size", tag)
        return {"status": done.returncode, "spans": spans, "seconds": round(time.monotonic() - begin, 1),
                "error": done.stderr[-400:] if done.returncode else ""}

    def calibrate(self, devices):
        begin = time.monotonic()
        done = self.profile("--json", "calibrate", "--devices", devices)
        return {"status": done.returncode, "seconds": round(time.monotonic() - begin, 1), "error": done.stderr[-400:] if done.returncode else ""}

    def parts(self):
        tags = self.options.tags.split(",")
        if "calibration" in tags:  # of all devices at once, since they share links and cores
            yield self.options.devices, "calibration", ""
        for tag in filter(lambda tag: tag != "calibration", tags):
            for device in self.options.devices.split(","):
                for workload in self.options.workloads.split(","):
                    yield device, tag, workload

    def record(self):
        """How many parts are left."""
        left = 0
        for device, tag, workload in self.parts():
            part = " ".join(filter(None, (device, tag, workload)))
            if self.done.get(part, {}).get("status") == 0:
                continue
            if time.monotonic() > self.end:
                left += 1
                continue
            entry = self.calibrate(device) if tag == "calibration" else self.run(device, tag, workload)
            self.note(part, entry)
            print(f"{part}: {entry['seconds']} s{', ' + entry['spans'] if 'spans' in entry else ''}"
                  f"{'' if entry['status'] == 0 else ': FAILED: ' + entry['error']}", flush=True)
        return left

    def write_files(self):
        if not os.path.exists(self.database):
            return  # nothing was measured yet
        whole = os.path.join(self.options.out, "all.unready")
        done = self.profile("export", whole)
        if done.returncode != 0:
            sys.exit(f"profiles.py: {done.stderr}")
        with open(whole, encoding="utf-8") as file:
            head, *lines = [json.loads(line) for line in file]
        lines = [line for line in lines if line.get("date", self.begun) >= self.begun]
        os.unlink(whole)
        command = f"scripts/make-profiles.sh --out FOLDER --devices {self.options.devices}"
        for name, mine in sorted(by_file(lines).items()):
            write_profile(os.path.join(self.options.out, name + ".jsonl"), head, mine, command)


def by_file(lines):
    """{name: lines}. A link's line goes with the device at its end, a processor's with the best ISA of its samples."""
    isas = {}
    for line in lines:
        if line.get("form", "").startswith("span-"):
            isas[(line["platform"], line["device"])] = re.sub(r"^span-|-g\d+$", "", line["form"])
    files = {}
    for line in lines:
        isa = isas.get((line["platform"], line["device"]))
        name = f"cpu-{isa}" if isa else file_name(line)
        if name:
            files.setdefault(name, []).append(line)
    return files


def write_profile(path, head, lines, command):
    head = {**head, "devices": sorted({line["device"] for line in lines}), "driver": ", ".join(sorted({line["driver"] for line in lines})),
            "tags": sorted({line["tag"] for line in lines if "tag" in line}), "command": command}
    text = "".join(json.dumps(line, separators=(",", ":"), sort_keys=True, ensure_ascii=False) + "\n" for line in [head] + lines)
    with open(path + ".unready", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".unready", path)
    large = len(text.encode()) > MOST_BYTES
    print(f"{path}: {len(lines)} lines, {len(text.encode()) // 1024} KiB{', TOO LARGE: at most ' + str(MOST_BYTES >> 10) if large else ''}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--devices", default="cpu", help="each alone, as of skmd-run; default: cpu")
    parser.add_argument("--tags", default="calibration,profile1,profile2,paper")
    parser.add_argument("--workloads", default=",".join(SIXTEEN))
    parser.add_argument("--seconds", type=float, default=480.0, help="no part is begun behind these; default: 480")
    options = parser.parse_args()
    for tag in options.tags.split(","):
        if tag not in KNOWN_TAGS:
            parser.error(f"--tags: \"{tag}\" is none of {', '.join(KNOWN_TAGS)}")
    return options


def main():
    options = arguments()
    options.build = os.path.abspath(options.build)
    os.makedirs(options.out, exist_ok=True)
    recorder = Recorder(options)
    left = recorder.record()
    recorder.write_files()
    failed = [part for part, entry in recorder.done.items() if entry["status"] != 0]
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
        return 1
    if left:
        print(f"{left} parts left: run the same command again")
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
