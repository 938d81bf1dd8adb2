#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that building, testing and the demonstration need. Quiet and quick when they are there.
# Works as root, or through sudo. Exit status 1 when a needed package cannot be had.
set -euo pipefail
source "$(dirname "$0")/packages.sh"

needed=(
  g++ cmake ninja-build git dpkg-dev file
  llvm-22-dev llvm-22 llvm-22-tools clang-22 libclang-22-dev libclang-rt-22-dev liblld-22-dev lld-22 libpolly-22-dev libclc-22
  libzstd-dev zlib1g-dev
  ocl-icd-opencl-dev opencl-headers pocl-opencl-icd oclgrind clinfo
  libeigen3-dev nlohmann-json3-dev libcli11-dev libgtest-dev libbenchmark-dev libmpfr-dev libsqlite3-dev
  libclblast-dev clblast-tests
  clang-format-14 clang-tidy-14
  python3 python3-numpy python3-pyopencl python3-matplotlib
  locales
)
# Only make things faster, smaller or checked twice.
wished=(ccache clang zstd debootstrap)

mapfile -t missing < <(absent "${needed[@]}")
mapfile -t missing_wished < <(absent "${wished[@]}")
if [[ ${#missing[@]} -eq 0 && ${#missing_wished[@]} -eq 0 ]]; then
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "setup: this is not Debian (no apt-get); missing: ${missing[*]:-none}" >&2
  [[ ${#missing[@]} -eq 0 ]] && exit 0 || exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if [[ ${#missing[@]} -gt 0 ]]; then
  echo "setup: installing ${missing[*]}"
  install_each setup "$log" "${missing[@]}"
fi
# Without these everything still works, so a failure is no news, and a list of packages is not fetched for them alone.
[[ ${#missing_wished[@]} -eq 0 ]] || install "$log" "${missing_wished[@]}" || true

mapfile -t missing < <(absent "${needed[@]}")
if [[ ${#missing[@]} -gt 0 ]]; then
  echo "setup: still missing: ${missing[*]}" >&2
  exit 1
fi
