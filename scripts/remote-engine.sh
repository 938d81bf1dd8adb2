#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the engine that reaches devices of other hosts, PoCL's remote client and its daemon:
#   scripts/remote-engine.sh [BUILD-FOLDER]   → BUILD-FOLDER/lib/skmd/libpocl-remote.so, BUILD-FOLDER/libexec/skmd/pocld
# From Debian's source package `pocl` of trixie with packaging/pocl/*.patch, fetched by apt's own client. Its lists and files are under
# BUILD-FOLDER/remote: the machine's apt stays as it is. Quick when nothing has changed. Exit status 3, with one line, where the source or
# what builds it is not to be had; everything else of SKMD builds without.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

root=$PWD
mkdir -p "${1:-build}"
build=$(cd "${1:-build}" && pwd)
work=$build/remote
release=trixie
version=6.0
mirror=http://deb.debian.org/debian
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
client=$build/lib/skmd/libpocl-remote.so
daemon=$build/libexec/skmd/pocld
options=(-DENABLE_REMOTE_CLIENT=1 -DENABLE_REMOTE_SERVER=1 -DENABLE_LLVM=0 -DENABLE_HOST_CPU_DEVICES=0 -DENABLE_LOADABLE_DRIVERS=0
  -DENABLE_ICD=1 -DENABLE_HWLOC=0 -DENABLE_TESTS=0 -DENABLE_EXAMPLES=0 -DENABLE_IPO=OFF -DHOST_DEVICE_BUILD_HASH=00000000
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON)

no_source() {
  echo "remote-engine: $1; devices of other hosts cannot be used" >&2
  exit 3
}

mkdir -p "$work"
exec 9>"$work/lock"
flock 9
log=$work/log
patches=("$root"/packaging/pocl/*.patch)
stamp=$(cat "$root/scripts/remote-engine.sh" "${patches[@]}" | sha256sum | cut -d ' ' -f 1)
if [[ -f $client && -f $daemon && $(cat "$work/stamp" 2>/dev/null) == "$stamp" ]]; then
  exit 0
fi

command -v apt-get >/dev/null || no_source "this is not Debian (no apt-get)"
mapfile -t missing < <(absent g++ cmake ninja-build dpkg-dev patch ocl-icd-opencl-dev opencl-headers opencl-clhpp-headers)
if [[ ${#missing[@]} -gt 0 ]]; then
  install_each remote-engine "$log" "${missing[@]}" || true
  mapfile -t missing < <(absent "${missing[@]}")
  [[ ${#missing[@]} -eq 0 ]] || no_source "missing packages: ${missing[*]}"
fi

# apt's client with a configuration, lists and a cache of its own; proxies and the like are the machine's.
apt() { APT_CONFIG=$work/apt/apt.conf apt-get "$@"; }
fetch() {
  [[ -f $keyring ]] || no_source "$keyring, which verifies the source, is not there"
  mkdir -p "$work"/apt/{lists/partial,cache/archives/partial} "$work/source"
  echo "deb-src [signed-by=$keyring] $mirror $release main" >"$work/apt/sources.list"
  cat >"$work/apt/apt.conf" <<CONF
Dir::Etc::sourcelist "$work/apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$work/apt/lists";
Dir::Cache "$work/apt/cache";
Acquire::Languages "none";
APT::Sandbox::User "$(id -un)";
CONF
  apt update -qq >"$log" 2>&1 || true  # what it could not do shows below
  (cd "$work/source" && apt source -qq --download-only --only-source pocl) >>"$log" 2>&1 ||
    no_source "$mirror has no source package pocl of $release for us: $(grep -m 1 '^[EW]:' "$log" || tail -n 1 "$log")"
}
compgen -G "$work/source/pocl_$version-*.dsc" >/dev/null || fetch
package=$(compgen -G "$work/source/pocl_$version-*.dsc" | sort -V | tail -n 1) || no_source "$release has another version of pocl than $version"

echo "remote-engine: building $(basename "$package" .dsc) with ${#patches[@]} patches"
rm -rf "$work/pocl" "$work/build"
# apt has verified the files by the list's signature.
dpkg-source --no-check --no-copy -x "$package" "$work/pocl" >"$log" 2>&1 || no_source "cannot unpack $package: $(tail -n 1 "$log")"
for patch in "${patches[@]}"; do
  patch -d "$work/pocl" -p 1 --forward --batch <"$patch" >"$log" 2>&1 ||
    { echo "remote-engine: $(basename "$patch") does not apply: $(tail -n 1 "$log")" >&2; exit 1; }
done
# What is installed must not name the folder that it was built in, in messages or as a fallback for its own tests.
export CFLAGS="-ffile-prefix-map=$work/=" CXXFLAGS="-ffile-prefix-map=$work/="
cmake -G Ninja -S "$work/pocl" -B "$work/build" "${options[@]}" >"$log" 2>&1 ||
  { echo "remote-engine: cmake failed, see $log" >&2; exit 1; }
sed -i -E 's,^#define (SRCDIR|BUILDDIR) .*,#define \1 ".",' "$work/build/config.h"
ninja -C "$work/build" pocl pocld >"$log" 2>&1 ||
  { echo "remote-engine: the build failed, see $log" >&2; exit 1; }

command install -D -s -m 644 "$(readlink -f "$work/build/lib/CL/libpocl-remote.so")" "$client"
command install -D -s -m 755 "$work/build/pocld/pocld" "$daemon"
echo "$stamp" >"$work/stamp"
