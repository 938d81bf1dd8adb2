#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests devices of other hosts, between two hosts that are network namespaces (scripts/remote-hosts.sh):
#   scripts/remote-test.sh [--build FOLDER] [NAME-PART…]
# Tests are the functions of tests/remote/*_test.py; NAME-PARTs choose some. Ends with `N passed, M failed`; exit status 3 where the engine
# is not built.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

build=$PWD/build
if [[ ${1:-} == --build ]]; then
  build=$(cd "$2" && pwd)
  shift 2
fi
[[ -f $build/lib/skmd/libpocl-remote.so && -f $build/libexec/skmd/pocld ]] || {
  echo "remote-test: the engine is not built (scripts/remote-engine.sh)" >&2
  exit 3
}
source scripts/remote-hosts.sh
remote_hosts remote-test
/usr/bin/python3 -B tests/remote/run.py "$build" "${hosts[@]}" "$@"
