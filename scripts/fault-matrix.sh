#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The full fault matrix: every call of a session to the vendor fails, at each of its uses, once and for good, with each
# code that vendors give there, and takes its device with it. Prints what fails and, last, "N runs, M failures".
#
#   scripts/fault-matrix.sh [build folder, default build] [options of fault_matrix]
#
# Options: --jobs N; --configuration NAME; --only CALL ("new": the driver's own
# allocations); --failure SPEC (one run, as STUB_FAIL); --every N (one run of N);
# --seconds N (after which a run counts as hanging, default 300); --json FILE (the counts).
# An ASan build looks for leaks in every run as well.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
if [ $# -gt 0 ] && [ -d "$1" ]; then
  build=$(cd "$1" && pwd)
  shift
fi
tests=$build/tests/faults
if [ ! -x "$tests/fault_matrix" ]; then
  echo "$tests/fault_matrix is not built: ninja -C $build fault_matrix" >&2
  exit 2
fi
export OCL_ICD_VENDORS="$tests/vendors" SKMD_VENDORS="$build/tests/stub-icd/vendors" SKMD_TEST_CPU_DRIVER=0 SKMD_CACHE_DIR="$tests/cache"
exec "$tests/fault_matrix" --full "$@"
