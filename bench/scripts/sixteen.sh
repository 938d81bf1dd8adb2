#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the paper's sixteen workloads on the virtual device, with results checked, and prints who did what share.
# Leaves, per workload, its JSON line and the driver's statistics in the output folder. Exit status 1 if anything failed.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build
size=small
partition=equal
devices=
repeat=1
out=
workloads="aes_encrypt aes_decrypt binomial_option black_scholes box_muller fdtd3d histogram matrix_multiplication
  matrix_transpose median_filter mersenne_twister nbody reduction scan_large_arrays sobel_filter vector_add"

usage() {
  cat <<USAGE
Usage: sixteen.sh [--build FOLDER] [--devices SELECTORS] [--partition MODE] [--size SIZE] [--repeat N] [--out FOLDER]
                  [--workloads "NAME…"]
Defaults: the release build, the driver's own devices, equal, small, 1, a new temporary folder, all sixteen.
USAGE
}

while [[ $# -gt 0 ]]; do
  case $1 in
    --help) usage; exit 0 ;;
    --build | --devices | --partition | --size | --repeat | --out | --workloads)
      [[ $# -ge 2 ]] || { usage >&2; exit 2; }
      declare "${1#--}=$2"
      shift 2
      ;;
    *) usage >&2; exit 2 ;;
  esac
done
[[ -x $build/bin/skmd-run ]] || { echo "sixteen.sh: no skmd-run in $build/bin" >&2; exit 2; }
[[ -n $out ]] || out=$(mktemp -d)
mkdir -p "$out"

for workload in $workloads; do
  rm -f "$out/$workload.json" "$out/$workload.stats.json" "$out/$workload.status"
  "$build/bin/skmd-run" ${devices:+--devices "$devices"} --partition "$partition" --stats "$out/$workload.stats.json" -- \
    "$build/bench/$workload" --size "$size" --repeat "$repeat" --check >"$out/$workload.json" 2>"$out/$workload.log"
  echo $? >"$out/$workload.status"
done
# shellcheck disable=SC2086  # a list of names
python3 "$here/stats_table.py" "$out" $workloads
