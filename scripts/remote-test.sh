#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests devices of other hosts, between two hosts that are network namespaces (scripts/remote-hosts.sh):
#   scripts/remote-test.sh [--build FOLDER] [--client FOLDER] [NAME-PART…]
# Tests are the functions of tests/remote/*_test.py; NAME-PARTs choose some. --client: the build of native programs on the client and of the
# library in them, AddressSanitizer's; for tests without Python programs there (faults., sixteen, one_launch). ThreadSanitizer takes what
# the engine, which is not compiled with it, shares between its threads for races. Ends with `N passed, M failed`; exit status 3 where the engine
# is not built.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

build=$PWD/build
client=
while [[ ${1:-} == --* ]]; do
  case $1 in
    --build) build=$(cd "$2" && pwd) ;;
    --client) client=$(cd "$2" && pwd) ;;
    *) echo "remote-test: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
[[ -f $build/lib/skmd/libpocl-remote.so && -f $build/libexec/skmd/pocld ]] || {
  echo "remote-test: the engine is not built (scripts/remote-engine.sh)" >&2
  exit 3
}
source scripts/remote-hosts.sh
remote_hosts remote-test
/usr/bin/python3 -B tests/remote/run.py "$build" "${client:-$build}" "${hosts[@]}" "$@"
