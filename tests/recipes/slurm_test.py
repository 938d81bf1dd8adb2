#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the user guide's scripts for SLURM jobs to the letter: slurm_test.py SOURCE BUILD

SLURM's `srun`, `scontrol` and `scancel` are programs of this test; nodes are addresses of the loopback, which names of nodes may be. skmd-serve is one that only says that it
serves, and in one test, where the engine is built, the build's own."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, BUILD = (os.path.abspath(path) for path in sys.argv[1:3]) if len(sys.argv) > 2 else ("", "")
BLOCK = re.compile(r"<!-- followed by tests/recipes/slurm_test.py -->\n```sh\n(.*?)^```", re.S | re.M)

# As the options say: on one node, which gets its name.
SRUN = """#!/bin/bash
while [[ $1 == --* ]]; do
  case $1 in
    --overlap | --cpu-bind=none) ;;
    --nodes=1 | --ntasks=1) seen+=$1 ;;
    --nodelist=*) export SLURMD_NODENAME=${1#*=} ;;
    *) echo "srun: $1 is not known" >&2; exit 2 ;;
  esac
  shift
done
[[ $seen == --nodes=1--ntasks=1 && -n $SLURMD_NODENAME ]] || exit 2
echo "$SLURMD_NODENAME $*" >>"$WORK/steps"
echo $$ >>"$WORK/processes"
exec "$@"
"""
SCONTROL = """#!/bin/bash
[[ "$1 $2 $3" == "show hostnames $SLURM_JOB_NODELIST" ]] || exit 2
printf '%s\\n' $NODES
"""
# Signals of the job's steps; not of the batch script.
SCANCEL = """#!/bin/bash
[[ "$*" == "--signal=TERM 42" ]] || exit 2
for process in $(cat "$WORK/processes"); do
  kill -TERM "$process" 2>/dev/null || true
done
"""
SERVE = """#!/bin/bash
trap 'echo "$2" >>"$WORK/ended"; exit 0' TERM
[[ $2 == "$AWAY":* ]] && { echo 'skmd-serve: the port is taken' >&2; exit 125; }
sleep 0.3
echo "$2" >>"$WORK/serving"
echo "serving 1 devices on $2"
while :; do sleep 0.05; done
"""
APPLICATION = """#!/bin/bash
[[ ! -e $WORK/serving ]] || cp "$WORK/serving" "$WORK/serving-then"
echo "$SKMD_HOSTS" >"$WORK/hosts"
SKMD_STATS=$WORK/stats.json SKMD_PARTITION=equal SKMD_VERIFY=1 $PROGRAM
exit "${STATUS:-0}"
"""


def scripts():
    with open(os.path.join(SOURCE, "docs/user-guide.md"), encoding="utf-8") as file:
        return BLOCK.findall(file.read())


class Job:
    """A job of SLURM, as far as a batch script sees it."""

    def __init__(self, folder, nodes, node_list, program):
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("SKMD_", "OCL_ICD", "SLURM"))}
        self.environment |= {"WORK": folder, "NODES": " ".join(nodes), "SLURM_JOB_NODELIST": node_list, "SLURM_JOB_ID": "42", "SLURMD_NODENAME": nodes[0], "PROGRAM": program,
                             "PATH": f"{folder}/bin:{BUILD}/bin:{os.environ['PATH']}", "SKMD_CACHE_DIR": f"{folder}/cache", "SKMD_PROFILE_DB": "off"}
        os.mkdir(f"{folder}/bin")
        for name, text in (("bin/srun", SRUN), ("bin/scontrol", SCONTROL), ("bin/scancel", SCANCEL), ("application", APPLICATION)):
            self.make(name, text)

    def make(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def run(self, script, **more):
        self.make("batch", script)
        done = subprocess.run(["bash", "./batch"], cwd=self.folder, env=self.environment | more, capture_output=True, text=True, timeout=300, check=False)
        print(f"-- status {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def lines(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return sorted(file.read().splitlines())


class Scripts(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name
        self.assertEqual(len(scripts()), 2, "scripts in the user guide")
        self.batch, self.by_ssh = scripts()

    def job(self, nodes=("127.0.0.1", "127.0.0.2", "127.0.0.3"), node_list="127.0.0.[1-3]", program="true", serve=SERVE):
        job = Job(self.folder, nodes, node_list, program)
        if serve:
            job.make("bin/skmd-serve", serve)
        return job

    def test_servers_serve_before_the_application_and_end_after_it(self):
        job = self.job()
        places = ["127.0.0.2:10998", "127.0.0.3:10998"]
        done = job.run(self.batch, TMPDIR=self.folder, STATUS="37")
        self.assertEqual((done.returncode, done.stderr), (37, ""))
        self.assertEqual(job.lines("steps"), [f"{place.split(':')[0]} skmd-serve --listen {place}" for place in places])
        self.assertEqual(job.lines("hosts"), [",".join(places)])
        self.assertEqual(job.lines("serving-then"), places)
        self.assertEqual(job.lines("ended"), places)
        self.assertEqual(glob.glob(f"{self.folder}/tmp.*"), [], "a folder is left")

    def test_a_server_that_fails_is_told_and_stops_nothing(self):
        job = self.job()
        start = time.monotonic()
        done = job.run(self.batch, AWAY="127.0.0.2")
        self.assertEqual(done.returncode, 0)
        self.assertIn("127.0.0.2 does not serve", done.stderr)
        self.assertNotIn("127.0.0.3", done.stderr)
        self.assertLess(time.monotonic() - start, 50, "it waits for a server that has ended")
        self.assertEqual(job.lines("serving-then"), ["127.0.0.3:10998"])
        self.assertEqual(job.lines("ended"), ["127.0.0.3:10998"])

    def test_a_job_of_one_node_starts_none(self):
        job = self.job(("127.0.0.1",), "127.0.0.1")
        done = job.run(self.batch)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((job.lines("hosts"), job.lines("steps")), ([""], []))

    def test_skmd_serve_itself_serves_the_application(self):
        if not os.path.exists(f"{BUILD}/libexec/skmd/pocld"):
            self.skipTest("the engine is not built")
        job = self.job(program=f"{BUILD}/bench/matrix_multiplication --size small --check", serve=None)
        done = job.run(self.batch)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"ok":true', done.stdout)
        with open(f"{self.folder}/stats.json", encoding="utf-8") as file:
            told = json.load(file)
        self.assertEqual(sorted((host["host"], host["lost"]) for host in told["hosts"]), [("127.0.0.2:10998", False), ("127.0.0.3:10998", False)])
        groups = {device.get("host"): part["groups"] for device, part in zip(told["devices"], told["kernels"][0]["devices"])}
        self.assertEqual(sorted(map(str, groups)), ["127.0.0.2:10998", "127.0.0.3:10998", "None"])
        self.assertGreater(min(groups.values()), 0)

    def test_hosts_of_ssh_are_the_other_nodes(self):
        job = self.job()
        done = job.run(self.by_ssh, SKMD_SSH="false")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(job.lines("hosts"), ["ssh:127.0.0.2=,ssh:127.0.0.3="])
        self.assertEqual(job.lines("steps"), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
