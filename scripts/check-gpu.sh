#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whether results are right on this machine's GPUs: workloads, API tests, random kernels, clpeak, other projects' programs. From a build, or from a bundle
# that was made by scripts/bundle.sh --tests. More: scripts/check-gpu.sh --help
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
[[ -x $top/bin/skmd-run ]] && build=$top
exec python3 -B "$top/tests/gpu/check_gpu.py" --build "$build" "$@"
