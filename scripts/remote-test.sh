#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests devices of other hosts, between two hosts that are network namespaces, skmd-a (10.77.0.1) and skmd-b (10.77.0.2):
#   scripts/remote-test.sh [--build FOLDER] [NAME-PART…]
# Needs root for them, and installs iproute2 and openssh-server if they are missing. Where namespaces cannot be made, client and servers share
# the loopback, and it says so. Tests are the functions of tests/remote/*_test.py; NAME-PARTs choose some. Ends with `N passed, M failed`; exit
# status 3 where the engine is not built.
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

log=$(mktemp)
made=()
remove() {
  local space
  for space in "${made[@]}"; do
    # What a test has left in it goes too.
    ip netns pids "$space" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns del "$space" 2>/dev/null || true
  done
  rm -f "$log"
}
trap remove EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

if [[ $EUID -eq 0 ]]; then
  mapfile -t missing < <(absent iproute2 openssh-server)
  [[ ${#missing[@]} -eq 0 ]] || install_each remote-test "$log" "${missing[@]}" || true
fi

make_hosts() {
  [[ $EUID -eq 0 ]] && command -v ip >/dev/null || return 1
  local space
  for space in skmd-a skmd-b; do
    ip netns add "$space" 2>"$log" || return 1
    made+=("$space")
    ip -n "$space" link set lo up || return 1
  done
  ip -n skmd-a link add eth0 type veth peer name eth0 netns skmd-b 2>"$log" &&
    ip -n skmd-a address add 10.77.0.1/24 dev eth0 && ip -n skmd-b address add 10.77.0.2/24 dev eth0 &&
    ip -n skmd-a link set eth0 up && ip -n skmd-b link set eth0 up
}

if make_hosts; then
  hosts=(10.77.0.2 "ip netns exec skmd-a" "ip netns exec skmd-b")
else
  echo "remote-test: network namespaces cannot be made ($(tail -n 1 "$log")); client and servers share the loopback"
  hosts=(127.0.0.1 "" "")
fi
/usr/bin/python3 -B tests/remote/run.py "$build" "${hosts[@]}" "$@"
