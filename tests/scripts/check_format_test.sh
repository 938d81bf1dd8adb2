#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/check-format.sh says of good and bad files, and without its tool: check_format_test.sh SOURCE.
set -uo pipefail
source=$1
# A file is formatted as the nearest .clang-format above it says.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source/.clang-format" "$work"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
check() { "$source/scripts/check-format.sh" "$@" >"$work/out" 2>&1; }

printf 'int twice(int x) { return 2 * x; }\n' >"$work/good.cpp"
printf 'int twice( int x ){ return 2*x; }\n' >"$work/bad.cpp"
check "$work/good.cpp" || fail "a well formatted file: $(cat "$work/out")"
check "$work/good.cpp" "$work/bad.cpp"
[[ $? -eq 1 ]] || fail "a badly formatted file passes"
grep -q "not formatted: $work/bad.cpp$" "$work/out" || fail "the file is not named: $(cat "$work/out")"

# Neither a missing tool nor one of another version is taken for good form.
mkdir "$work/tools"
LLVM_TOOLS=$work/tools check "$work/good.cpp"
[[ $? -eq 2 ]] || fail "passes without the tool"
grep -q 'install the Debian package clang-format-14' "$work/out" || fail "the package is not named: $(cat "$work/out")"
printf '#!/bin/sh\necho Debian clang-format version 19.1.0\n' >"$work/tools/clang-format-14"
chmod +x "$work/tools/clang-format-14"
LLVM_TOOLS=$work/tools check "$work/good.cpp"
[[ $? -eq 2 ]] || fail "another version is taken"
grep -q 'version 14 is expected' "$work/out" || fail "the version is not named: $(cat "$work/out")"
exit 0
