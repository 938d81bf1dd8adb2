#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs the release build into one archive that runs from any folder of any x86-64 Linux with glibc 2.36 or newer:
#   scripts/bundle.sh [--tests] [BUILD-FOLDER]   → BUILD-FOLDER/skmd-VERSION-x86_64-linux.tar.zst (.tar.xz without zstd)
# --tests adds what scripts/check-gpu.sh runs.
# bin, lib, libexec, share and bench keep their places to each other, by which the driver and its helper are found. Libraries that such a
# system may lack lie in lib/fallback, where skmd-run lets applications find them if the system has none.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=0
if [[ ${1:-} == --tests ]]; then
  tests=1
  shift
fi
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

# The same rules as for an installation (packaging/CMakeLists.txt); of these components every place is relative.
for component in driver bench; do
  cmake --install "$build" --prefix "$root" --component "$component" --strip >"$stage/log" || { cat "$stage/log" >&2; exit 1; }
done

# In the places where check_gpu.py looks for them in a build, too.
add_tests() {
  local name
  mkdir -p "$root"/tests/{bin,gpu,driver/random,intercept/api}
  cp tests/gpu/check_gpu.py "$root/tests/gpu/"
  for name in crash_trace twice; do strip -o "$root/tests/gpu/$name.so" "$build/tests/gpu/$name.so"; done
  cp scripts/check-gpu.sh "$root/scripts/"
  cp tests/driver/random/*.py "$root/tests/driver/random/"
  strip -o "$root/tests/driver/random/random_cases" "$build/tests/driver/random/random_cases"
  for name in image kernel memory program queue; do
    strip -o "$root/tests/intercept/api/api_${name}_test" "$build/tests/intercept/api/api_${name}_test"
  done
  mkdir -p "$root/tests/suites"
  cp tests/suites/{harness,clblast,clfft,clinfo}.py "$root/tests/suites/"
  # One routine of each shape: each of CLBlast's programs is a megabyte.
  for name in clpeak clinfo clFFT-client clblast_test_x{axpy,dot,nrm2,gemv,ger,gemm,trsm,gemmbatched}; do
    if [[ -x /usr/bin/$name ]]; then cp "/usr/bin/$name" "$root/tests/bin/"; fi
  done
}
[[ $tests -eq 0 ]] || add_tests

mkdir -p "$root/lib/fallback"
while IFS= read -r -d '' file; do
  is_elf "$file" || continue
  while read -r library _ path _; do
    [[ $path == /* ]] && ! is_base "$library" && cp -L "$path" "$root/lib/fallback/$library"
  done < <(ldd "$file" | grep '=>') || true
done < <(find "$root" -type f -print0)
rmdir --ignore-fail-on-non-empty "$root/lib/fallback"

git describe --always --abbrev=12 --dirty=+ --exclude='*' >"$root/commit" 2>/dev/null || echo unknown >"$root/commit"

cat >"$root/README" <<TEXT
SKMD $version: all OpenCL devices of a machine as one.

  bin/skmd-info                      the devices, and what they become
  bin/skmd-profile                   the database of measured times
  bin/skmd-run -- application        runs an application on them
  bin/skmd-ctl PID status            controls a running application
  bin/skmd-resume FILE --out FOLDER  completes a launch that skmd-ctl wrote to a file
  bench/vector_add --check           a small application to try
  scripts/bench-gpu.sh               what all of it is worth on this machine
  scripts/bench-predict.sh           how well work is divided here, against goals
  scripts/make-profiles.sh           how long each workload takes on each device, in profiling mode

The OpenCL drivers of the real devices must be installed; skmd-info says what it finds and what it leaves out.
TEXT
[[ $tests -eq 0 ]] || echo "  scripts/check-gpu.sh               whether results are right on its GPUs" >>"$root/README"

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
