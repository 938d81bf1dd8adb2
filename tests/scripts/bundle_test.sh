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

"$source/scripts/bundle.sh" "$build"
mkdir "$work/a folder"
tar -C "$work/a folder" -xf "$(ls -t "$build"/skmd-*-linux.tar.* | head -n 1)"
cd "$work/a folder"/skmd-*
unset ${!SKMD_*}
export SKMD_CACHE_DIR=$work/cache POCL_DEVICES='pthread basic'

bin/skmd-run --devices portable:pthread@discrete,portable:basic@discrete --partition equal --stats "$work/s.json" -- bench/vector_add --check
/usr/bin/python3 - "$work/s.json" <<'PYTHON' || fail "the launch was not split: $(cat "$work/s.json")"
import json, sys
kernel, = json.load(open(sys.argv[1]))["kernels"]
sys.exit(0 if kernel["split_launches"] == kernel["launches"] > 0 else 1)
PYTHON
bin/skmd-info | grep -q '  vector_add ' || fail "skmd-info does not know the kernel: $(bin/skmd-info)"
if grep -rqF "$source/" bin lib bench; then fail "the tree's path is in the bundle: $(grep -rlF "$source/" bin lib bench)"; fi
