#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures what devices of another host are worth, between two hosts that are network namespaces (scripts/remote-hosts.sh), and prints a line
# for each goal:
#   scripts/bench-remote.sh [--rows transfers,calls,nbody,slow_link,stencil,peers,loss] [--repeat N] [--gpu HERE,THERE] [--out FILE]
# With --gpu, also two GPUs of this machine, by their selectors, as if of two hosts. From a build or from an unpacked bundle.
# scripts/redraw_results.py makes docs/results/remote.md of what --out leaves.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build
[[ -x $top/bin/skmd-run ]] && build=$top
source "$top/scripts/packages.sh"
[[ -f $build/lib/skmd/libpocl-remote.so && -f $build/libexec/skmd/pocld ]] || {
  echo "bench-remote: the engine is not there (scripts/remote-engine.sh)" >&2
  exit 3
}
source "$top/scripts/remote-hosts.sh"
remote_hosts bench-remote
/usr/bin/python3 -B "$top/bench/scripts/remote.py" --build "$build" --address "${hosts[0]}" --client "${hosts[1]}" --server "${hosts[2]}" "$@"
