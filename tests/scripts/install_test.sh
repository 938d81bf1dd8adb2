#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An installation into a folder: works through the system's loader, works after it moved, can be taken away: install_test.sh BUILD.
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

unset ${!SKMD_*} ${!OCL_ICD_*}
export SKMD_PROFILE_DB=off SKMD_CACHE_DIR=$work/cache POCL_DEVICES='pthread basic' SKMD_STATS=$work/s.json
export SKMD_DEVICES=portable:pthread@discrete,portable:basic@discrete SKMD_PARTITION=equal

# COMMAND…, which is an application: right, and split over both devices.
split() {
  rm -f "$SKMD_STATS"
  "$@" || fail "$*"
  /usr/bin/python3 - "$SKMD_STATS" <<'PYTHON' || fail "$* was not split: $(cat "$SKMD_STATS")"
import json, sys
kernel, = json.load(open(sys.argv[1]))["kernels"]
sys.exit(0 if kernel["split_launches"] == kernel["launches"] > 0 else 1)
PYTHON
}

prefix="$work/a folder"
cmake --install "$build" --prefix "$prefix" --strip >"$work/log" || fail "$(cat "$work/log")"
cp "$build/install_manifest.txt" "$work/manifest"
OCL_ICD_VENDORS="$prefix/etc/OpenCL/vendors" split "$build/bench/vector_add" --size small --check
readelf -d "$prefix/libexec/skmd/skmd-compile" | grep -E 'RPATH|RUNPATH' && fail 'skmd-compile searches a folder of this machine'
(cd "$prefix" && find . -type f -o -type l | sed "s|^\.|$prefix|" | sort) >"$work/files"
sort "$work/manifest" | diff - "$work/files" || fail 'the manifest is not what was installed'

# Moved, with nothing left at the old place.
mv "$prefix" "$work/moved"
split "$work/moved/bin/skmd-run" -- "$build/bench/vector_add" --size small --check
"$work/moved/bin/skmd-info" | grep -qxF "driver: $work/moved/lib/libskmd.so" || fail 'skmd-info finds another driver'
mv "$work/moved" "$prefix"

xargs -d '\n' rm <"$work/manifest"
[[ -z "$(find "$prefix" -not -type d)" ]] || fail "left: $(find "$prefix" -not -type d)"
echo passed
