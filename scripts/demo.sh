#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The demonstration: installs packages, builds, then runs programs that know nothing of SKMD on the virtual device, each of which
# checks its own results, and prints which real device did what share. Ends with `all results verified`, or says what
# was not and exits with 1. What it made is in build/demo. With --no-build it uses the release build that is there.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/report.sh

if [[ ${1:-} != --no-build ]]; then
  say "packages"
  scripts/setup.sh || exit 1
  say "build"
  scripts/build.sh release skmd skmd-compile skmd-run skmd-info vector_add matrix_multiplication nbody || exit 1
fi

out=$PWD/build/demo
rm -rf "$out"
mkdir -p "$out"
run=build/bin/skmd-run
options=(--partition equal)

# Two devices of this machine, or, where there is only a processor, SKMD's own CPU driver and one of PoCL's beside it.
count=$(build/bin/skmd-info --json 2>/dev/null | /usr/bin/python3 -c 'import json,sys; print(len(json.load(sys.stdin).get("devices", [])))' 2>/dev/null)
if [[ ${count:-0} -lt 2 ]]; then
  export POCL_DEVICES='pthread basic'
  options+=(--devices cpu,portable:basic@discrete)
fi
say "the one device that applications see"
"$run" "${options[@]}" -- clinfo -l

programs=()
# demo NAME HOW-VERIFIED command…
demo() {
  local name=$1 how=$2
  shift 2
  say "$name: $*"
  programs+=("$name=$how")
  "$run" "${options[@]}" --stats "$out/$name.stats.json" --trace "$out/$name.trace.json" -- "$@" >"$out/$name.log" 2>&1
  local status=$?
  # A run that found nothing to test is no success.
  if [[ $name == clblast ]] && ! grep -qE '^ *[1-9][0-9]* test\(s\) passed' "$out/$name.log"; then status=1; fi
  if [[ $name == clblast ]] && grep -qE '[1-9][0-9]* test\(s\) failed' "$out/$name.log"; then status=1; fi
  echo "$status" >"$out/$name.status"
  [[ $status -eq 0 ]] || tail -n 20 "$out/$name.log"
}

demo clblast "CBLAS on the host" clblast_test_xaxpy
demo life "NumPy" /usr/bin/python3 scripts/demo/life.py
demo expressions "NumPy" /usr/bin/python3 scripts/demo/expressions.py
for workload in vector_add matrix_multiplication nbody; do
  demo $workload "host reference" "build/bench/$workload" --size small --repeat 3 --check
done

say "who did what"
/usr/bin/python3 scripts/demo/table.py "$out" "${programs[@]}"
status=$?
if /usr/bin/python3 scripts/draw_timeline.py "$out/nbody.trace.json" "$out/timeline.png"; then
  echo "timeline of one launch: build/demo/timeline.png"
else
  status=1
fi
if [[ $status -ne 0 ]]; then
  echo "NOT all results verified: see above and build/demo"
  exit 1
fi
echo "all results verified"
