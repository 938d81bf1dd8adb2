#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds one preset: scripts/build.sh [preset] [target…]. The release build is build/, others build/<preset>/.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
shift || true
folder=build
[[ $preset == release ]] || folder=build/$preset

# Configured with another compiler before, a folder is made anew: CMake would forget what kind of build it was.
compiler=clang++ fresh=()
[[ $preset != gcc ]] || compiler=/g++
if [[ -e $folder/CMakeCache.txt ]] && ! grep '^CMAKE_CXX_COMPILER:' "$folder/CMakeCache.txt" | grep -qF "$compiler"; then fresh=(--fresh); fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" "${fresh[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
# Each compiler of LLVM's headers takes close to 2 GB: fewer jobs than processors where memory is short.
jobs=$(nproc)
memory_jobs=$(awk '/MemAvailable/ {print int($2 / 1900000)}' /proc/meminfo)
((memory_jobs < 1)) && memory_jobs=1
((jobs > memory_jobs)) && jobs=$memory_jobs
# With large pages for its heap a compiler takes less time (three files: 6.3 s for 7.6, medians of five turns): it touches
# hundreds of megabytes for the first time.
export GLIBC_TUNABLES=${GLIBC_TUNABLES-glibc.malloc.hugetlb=1}
NINJA_STATUS='[%f/%t %es] ' ninja -C "$folder" -j "$jobs" "$@"
