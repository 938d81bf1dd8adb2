#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs the release build into one archive that runs from any folder of any x86-64 Linux with glibc 2.36 or newer:
#   scripts/bundle.sh [BUILD-FOLDER]      → BUILD-FOLDER/skmd-VERSION-x86_64-linux.tar.zst (.tar.xz without zstd)
# bin, lib, libexec and bench keep their places to each other, by which the driver and its helper are found. Libraries that such a
# system may lack lie in lib/fallback, where skmd-run lets applications find them if the system has none.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:-build}
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")
name=skmd-$version-x86_64-linux
limit=$((60 * 1024 * 1024))
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
root=$stage/$name

is_elf() { [[ -f $1 && "$(head -c 4 "$1" | tail -c 3)" == ELF ]]; }

# Libraries that every system of that age has.
is_base() { [[ $1 =~ ^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|libz|libzstd)[.-] ]]; }

for folder in bin lib libexec bench; do
  mkdir -p "$root/$folder"
  # Only what was built to be used; build systems keep archives and notes of their own beside it.
  depth=()
  [[ $folder == bench ]] && depth=(-maxdepth 1)
  (cd "$build/$folder" && find . "${depth[@]}" -type f -not -name '*.a' -not -name '*.o' -not -name '*.cmake' -not -name '*.ninja' \
    -not -path '*/CMakeFiles/*' -print0) | while IFS= read -r -d '' file; do
    if [[ $folder == bench && ! -x $build/$folder/$file ]]; then continue; fi
    mkdir -p "$root/$folder/$(dirname "$file")"
    cp -L "$build/$folder/$file" "$root/$folder/$file"
  done
done

# What scripts/bench-gpu.sh needs.
mkdir -p "$root/scripts" "$root/bench/scripts" "$root/bench/micro"
cp scripts/bench-gpu.sh "$root/scripts/"
cp bench/scripts/gpu.py "$root/bench/scripts/"
[[ -x $build/bench/micro/call_cost ]] && cp -L "$build/bench/micro/call_cost" "$root/bench/micro/"

mkdir -p "$root/lib/fallback"
while IFS= read -r -d '' file; do
  is_elf "$file" || continue
  strip --strip-unneeded "$file"
  while read -r library _ path _; do
    [[ $path == /* ]] && ! is_base "$library" && cp -L "$path" "$root/lib/fallback/$library"
  done < <(ldd "$file" | grep '=>') || true
done < <(find "$root" -type f -print0)
rmdir --ignore-fail-on-non-empty "$root/lib/fallback"

cat >"$root/README" <<TEXT
SKMD $version: all OpenCL devices of a machine as one.

  bin/skmd-info                      the devices, and what they become
  bin/skmd-run -- application        runs an application on them
  bench/vector_add --check           a small application to try
  scripts/bench-gpu.sh               what all of it is worth on this machine

The OpenCL drivers of the real devices must be installed; skmd-info says what it finds and what it leaves out.
TEXT
if [[ -n "$(ls -A profiles 2>/dev/null)" ]]; then cp -r profiles "$root/"; fi

for file in bin/skmd-run bin/skmd-info lib/libskmd.so libexec/skmd/skmd-compile; do
  [[ -e $root/$file ]] || { echo "bundle: $build/$file was not built" >&2; exit 1; }
done

if command -v zstd >/dev/null; then
  archive=$build/$name.tar.zst
  tar -C "$stage" -cf - "$name" | zstd -q -12 --long=27 -T0 -f -o "$archive"
else
  archive=$build/$name.tar.xz
  tar -C "$stage" -cJf "$archive" "$name"
fi
size=$(stat -c %s "$archive")
echo "$archive: $((size / 1024)) KiB"
if ((size > limit)); then
  echo "bundle: larger than $((limit / 1024)) KiB" >&2
  exit 1
fi
