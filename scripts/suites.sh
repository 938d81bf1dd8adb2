#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs test suites of other projects, unmodified, on PoCL alone, on SKMD over PoCL's two CPU devices, and on SKMD's own
# CPU driver (with --modes far: in a server, as a device of another host): what passes there has to pass here. Installs
# the Debian packages that hold the suites; one whose package cannot be had is not run.
#
# usage: scripts/suites.sh [--quick] [suite…]     suites: clinfo clpeak clblast clfft pyopencl piglit hashcat ffmpeg opencv boost_compute viennacl
#                                                 gegl openmm starpu x264 darktable libreoffice silx ufo hcxkeys
#        scripts/suites.sh --log FILE: a run that was ended goes on where it was
#        more options: tests/suites/run.py --help
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

# Neither help nor a wrong option is a list of packages.
packages=$(/usr/bin/python3 tests/suites/run.py --packages "$@") || { echo "$packages"; exit 2; }
case " $* " in *" --help "* | *" -h "*) echo "$packages" && exit ;; esac
mapfile -t wanted < <(cut -d ' ' -f 2- <<<"$packages" | tr ' ' '\n')
mapfile -t missing < <(absent "${wanted[@]}")
if [[ ${#missing[@]} -gt 0 ]] && command -v apt-get >/dev/null; then
  echo "suites: installing ${missing[*]}"
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  install_each suites "$log" "${missing[@]}" || true
fi
/usr/bin/python3 tests/suites/run.py "$@"
