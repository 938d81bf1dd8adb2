#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the profiles that SKMD ships (profiles/): the sixteen workloads in profiling mode on this machine's devices, and calibrations.
# Leaves one file for each kind of device in FOLDER, and what it needs to go on in a later call. From a build or from an unpacked bundle.
#
#   scripts/make-profiles.sh --out FOLDER [--devices SELECTOR,…] [--tags T,…] [--seconds S] …     more: scripts/make-profiles.sh --help
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
[[ -x $top/bin/skmd-run ]] && build=$top
exec python3 -B "$top/bench/scripts/profiles.py" --build "$build" "$@"
