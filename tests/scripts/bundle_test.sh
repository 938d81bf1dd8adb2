#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The bundle works from any folder, without the tree it came from: bundle_test.sh SOURCE BUILD.
set -euo pipefail
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

"$source/scripts/bundle.sh" --tests "$build"
mkdir "$work/a folder"
tar -C "$work/a folder" -xf "$(ls -t "$build"/skmd-*-linux.tar.* | head -n 1)"
cd "$work/a folder"/skmd-*
unset ${!SKMD_*}
export SKMD_PROFILE_DB=off SKMD_CACHE_DIR=$work/cache POCL_DEVICES='pthread basic'

bin/skmd-run --devices portable:pthread@discrete,portable:basic@discrete --partition equal --stats "$work/s.json" -- bench/vector_add --check
/usr/bin/python3 - "$work/s.json" <<'PYTHON' || fail "the launch was not split: $(cat "$work/s.json")"
import json, sys
kernel, = json.load(open(sys.argv[1]))["kernels"]
sys.exit(0 if kernel["split_launches"] == kernel["launches"] > 0 else 1)
PYTHON
bin/skmd-info | grep -q '  vector_add ' || fail "skmd-info does not know the kernel: $(bin/skmd-info)"
if grep -rqF "$source/" bin lib bench; then fail "the tree's path is in the bundle: $(grep -rlF "$source/" bin lib bench)"; fi

/usr/bin/python3 -B "$source/tests/scripts/symbol_versions.py" "$PWD" || fail 'not for Debian 12 and Ubuntu 24.04'

# Whole processes, from the bundle, with PoCL standing for a GPU's driver.
scripts/bench-gpu.sh --start --vendor pocl --gpu portable:pthread --parts cold,sixteen --workloads start_scan,vector_add --five-size small --sizes small \
  --repetitions 1 --out "$work/start.json" >"$work/table" || fail "bench-gpu.sh --start: $(cat "$work/table")"
grep -q '^  start_scan small .*[0-9]' "$work/table" || fail "no row in the table: $(cat "$work/table")"

# The measurements run from the bundle as well: each device alone and through SKMD, a table, and every figure in one file.
scripts/bench-gpu.sh --size small --repeat 2 --rounds 1 --workloads vector_add,reduction --modes equal,auto --out "$work/gpu.json" \
  --devices portable:pthread@discrete,portable:basic@discrete >"$work/table" || fail "bench-gpu.sh: $(cat "$work/table")"
grep -q '^vector_add .*[0-9]' "$work/table" || fail "no row in the table: $(cat "$work/table")"
/usr/bin/python3 - "$work/gpu.json" <<'PYTHON' || fail "figures are missing: $(cat "$work/gpu.json")"
import json, sys
found = json.load(open(sys.argv[1]))
row = found["workloads"]["reduction"]
assert found["machine"]["devices"] and found["machine"]["processor"]
assert all(len(answer["seconds"]) == 2 and answer["ok"] for side in row.values() for answer in side.values()) and row["vendor"]
assert row["skmd"]["equal"]["stats"]["kernels"][0]["split_launches"] > 0
assert any(pair["with"]["pipelined_launch_us"]["median"] > 0 for rounds in found["calls"].values() for pair in rounds)
PYTHON

# Two hosts, where the engine is in the bundle.
status=0
scripts/bench-remote.sh --rows nbody --repeat 1 --out "$work/remote.json" >"$work/table" 2>&1 || status=$?
if [[ -e lib/skmd/libpocl-remote.so ]]; then grep -q '^nbody: [0-9]' "$work/table"; else [[ $status -eq 3 ]]; fi ||
  fail "bench-remote.sh, status $status: $(cat "$work/table")"

# How work is divided, against goals; which of them are met is a matter of time. The bundle tells which commit it is of.
scripts/bench-predict.sh --vendor pocl --devices portable:pthread@discrete,portable:basic@discrete --workloads vector_add --sizes small --repeat 6 \
  --seconds 3000 --out "$work/predict.json" >"$work/table" 2>&1 || [[ $? -eq 1 ]] || fail "bench-predict.sh: $(cat "$work/table")"
/usr/bin/python3 - "$work/predict.json" "$(cat commit)" <<'PYTHON' || fail "figures are missing: $(cat "$work/predict.json")"
import json, sys
found = json.load(open(sys.argv[1]))
assert found["commit"] == sys.argv[2] != "" and found["rows"] and not found["failures"] and not any(row["missing"] for row in found["rows"])
assert all(len(process) == 6 for side in found["units"][0]["sides"].values() for process in side["processes"])
PYTHON

# Processes in turn: the installed driver runs them, in both compositions.
scripts/bench-gpu.sh --size small --repeat 4 --turns 2 --workloads vector_add --modes auto --out "$work/turns.json" \
  --devices portable:basic+portable:pthread@discrete,portable:basic@discrete >"$work/table" || fail "bench-gpu.sh --turns: $(cat "$work/table")"
/usr/bin/python3 - "$work/turns.json" <<'PYTHON' || fail "figures are missing: $(cat "$work/turns.json")"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert [len(row["medians"]) for row in rows] == [2, 2, 2] and not any(row["wrong"] for row in rows)
PYTHON

# Profiles: a call that ends before all is measured, and one that goes on.
profiles() {
  scripts/make-profiles.sh --out "$work/profiles" --devices cpu --tags small,profile1 --workloads vector_add,reduction "$@" >"$work/table" 2>&1
}
profiles --seconds 0 && fail 'nothing was measured, and it says that all was'
grep -q '^4 parts left' "$work/table" || fail "make-profiles.sh: $(cat "$work/table")"
profiles || fail "make-profiles.sh: $(cat "$work/table")"
/usr/bin/python3 - "$work"/profiles/cpu-*.jsonl <<'PYTHON' || fail "lines are missing: $(head -c 2000 "$work"/profiles/cpu-*.jsonl)"
import json, sys
head, *lines = [json.loads(line) for line in open(sys.argv[1])]
assert head["skmd_profile"] == 1 and head["tags"] == ["profile1", "small"] and "make-profiles.sh" in head["command"] and head["processor"]
assert {(line["kernel"], line["tag"]) for line in lines} >= {(kernel, tag) for kernel in ("vector_add", "reduction") for tag in head["tags"]}
PYTHON
bin/skmd-profile --db "$work/imported.db" import "$work"/profiles/cpu-*.jsonl >/dev/null || fail 'what make-profiles.sh wrote cannot be taken in'

# So does the check of a GPU's results, here with one of PoCL's devices in its place.
scripts/check-gpu.sh --gpus portable:basic@discrete --alone /etc/OpenCL/vendors/pocl.icd --sizes small --modes equal --workloads vector_add,reduction \
  --parts workloads,api,random,programs --random 10 --jobs 2 --programs 'clinfo human' --out "$work/check.jsonl" >"$work/checked" || fail "check-gpu.sh: $(cat "$work/checked")"
[[ "$(tail -n 1 "$work/checked")" == '17 passed, 0 failed' ]] || fail "check-gpu.sh: $(cat "$work/checked")"
/usr/bin/python3 - "$work/check.jsonl" <<'PYTHON' || fail "lines are missing: $(cat "$work/check.jsonl")"
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert {row["part"] for row in rows} == {"workloads", "api", "random", "programs"} and all(row["ok"] for row in rows)
assert sum(row["passed"] for row in rows if row["part"] == "api") > 200
PYTHON
# A wrong result is told.
mv bench/reduction bench/reduction.away && printf '#!/bin/sh\necho "{\\"ok\\":false}"; exit 1\n' >bench/reduction && chmod +x bench/reduction
scripts/check-gpu.sh --gpus portable:basic@discrete --sizes small --modes equal --workloads vector_add,reduction --parts workloads \
  --out "$work/check.jsonl" >"$work/checked" && fail 'a failing workload is no failure'
[[ "$(tail -n 1 "$work/checked")" == '2 passed, 2 failed' ]] || fail "check-gpu.sh with a failing workload: $(cat "$work/checked")"
# So is a program that fails through SKMD only.
printf '#!/bin/sh\n[ -z "$SKMD_DEVICES" ]\n' >tests/bin/clinfo
scripts/check-gpu.sh --gpus portable:basic@discrete --alone /etc/OpenCL/vendors/pocl.icd --modes equal --parts programs --programs 'clinfo human' \
  --out "$work/check.jsonl" >"$work/checked" && fail 'a failing program is no failure'
[[ "$(tail -n 1 "$work/checked")" == '0 passed, 2 failed' ]] || fail "check-gpu.sh with a failing program: $(cat "$work/checked")"
