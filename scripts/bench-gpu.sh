#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures this machine: the sixteen workloads on each device alone, without SKMD, then through SKMD in `equal` and `auto`; what a call
# costs. Leaves one JSON file with every figure and the machine's facts, and prints a table. From a build or from an unpacked bundle.
#
#   scripts/bench-gpu.sh [--out FILE] [--size SIZE] [--modes equal,auto] …     more: scripts/bench-gpu.sh --help
#   scripts/bench-gpu.sh --preempt [--device SELECTOR] [--seconds S] …   what giving way costs and gains; more: scripts/bench-gpu.sh --preempt --help
#   scripts/bench-gpu.sh --start [--seconds S] [--parts cold,five,sixteen] …   how long whole processes take; more: scripts/bench-gpu.sh --start --help
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
[[ -x $top/bin/skmd-run ]] && build=$top
measure=gpu.py
if [[ ${1:-} == --start || ${1:-} == --preempt ]]; then
  measure=${1#--}.py
  shift
fi
exec python3 -B "$top/bench/scripts/$measure" --build "$build" "$@"
