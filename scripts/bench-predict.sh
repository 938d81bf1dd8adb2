#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How well SKMD divides work on this machine, row by row with goals. From a build or from an unpacked bundle.
#
#   scripts/bench-predict.sh [--devices LIST] [--parts a,b] [--out FILE] …     more: scripts/bench-predict.sh --help
#
# Exit status: 0; 1 where a goal is missed or a result is wrong; 2 for wrong use or where something could not be measured.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
[[ -x $top/bin/skmd-run ]] && build=$top
exec python3 -B "$top/bench/scripts/predict.py" --build "$build" "$@"
