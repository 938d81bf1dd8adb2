#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/check-tidy.sh says of a good and a bad file, and what it reads for which names: check_tidy_test.sh SOURCE.
set -uo pipefail
source=$1
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
cp "$source/.clang-tidy" "$work"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
check() { "$source/scripts/check-tidy.sh" -p "$work" "$@" >"$work/out" 2>&1; }

printf 'bool positive(int x) { return x > 0; }\n' >"$work/good.cpp"
printf 'bool positive(int x) { return x == x; }\n' >"$work/bad.cpp"
entry() { printf '{"directory": "%s", "file": "%s", "command": "c++ -std=c++20 -Wno-restrict -Werror -c %s"}' "$work" "$1" "$1"; }
printf '[%s, %s]' "$(entry "$work/good.cpp")" "$(entry "$work/bad.cpp")" >"$work/compile_commands.json"
check "$work/good.cpp" || fail "a good file: $(cat "$work/out")"
grep -q '^check-tidy: 1 files' "$work/out" || fail "it was not read: $(cat "$work/out")"
check "$work/good.cpp" "$work/bad.cpp"
[[ $? -eq 1 ]] || fail "a planted fault passes: $(cat "$work/out")"
grep -q 'bad.cpp:1:.*misc-redundant-expression' "$work/out" || fail "the fault is not named: $(cat "$work/out")"
# At most 60 lines from a function's opening brace to its closing one.
long_function() { printf 'int sum(int x) {\n'; for ((i = 0; i < $1 - 2; ++i)); do printf '  x += %d;\n' "$i"; done; printf '  return x;\n}\n'; }
long_function 60 >"$work/good.cpp"
check "$work/good.cpp" || fail "a function of 60 lines: $(cat "$work/out")"
long_function 61 >"$work/good.cpp"
check "$work/good.cpp" && fail 'a function of 61 lines passes'
grep -q 'readability-function-size' "$work/out" || fail "its length is not named: $(cat "$work/out")"
printf 'bool positive(int x) { return x > 0; }\n' >"$work/good.cpp"
sed 's/ -std/ -Winvalid-pch -include \/no\/such\/cmake_pch.hxx -std/' "$work/compile_commands.json" >"$work/with" && mv "$work/with" "$work/compile_commands.json"
check "$work/good.cpp" || fail "a file with a precompiled header: $(cat "$work/out")"
check --most 1 "$work/good.cpp" "$work/bad.cpp"
grep -q '1 left to --all' "$work/out" || fail "what was left out is not said: $(cat "$work/out")"

# A tool that names the files it is given. Headers stand for what includes them, at any distance.
mkdir "$work/tools"
printf '#!/bin/sh\ncase $1 in --version) echo LLVM version 14.0.6 ;; *) for last; do :; done; echo "read $last" ;; esac\n' >"$work/tools/clang-tidy-14"
chmod +x "$work/tools/clang-tidy-14"
printf '[{"directory": "%s", "file": "%s", "command": "c++"}]' "$source" "$source/partitioner/base/byte_ranges.cpp" >"$work/compile_commands.json"
for name in partitioner/base/byte_ranges.cpp partitioner/base/byte_ranges.h; do
  LLVM_TOOLS=$work/tools check "$source/$name" || fail "status $? for $name"
  grep -q 'read partitioner/base/byte_ranges.cpp' "$work/out" || fail "$name is not read: $(cat "$work/out")"
done
LLVM_TOOLS=$work/tools check "$source/partitioner/no_such.h"
[[ $? -eq 2 ]] && grep -q 'there is no file .*no_such.h' "$work/out" || fail "a file that is not there: $(cat "$work/out")"
LLVM_TOOLS=$work/tools check --since no_such_commit
[[ $? -eq 2 ]] && grep -q 'there is no commit no_such_commit' "$work/out" || fail "a commit that is not there: $(cat "$work/out")"
LLVM_TOOLS=$work/none check "$source/partitioner/base/byte_ranges.cpp"
[[ $? -eq 2 ]] || fail 'passes without the tool'

# Every check that is off has its reason.
for config in "$source/.clang-tidy" "$source/tests/.clang-tidy"; do
  for off in $(grep -oE '^  -[A-Za-z.-]+' "$config" | sed 's/^  -//; s/-$//'); do
    grep -qE "^# $off(-\*)?: " "$config" || fail "$config: no reason why $off is off"
  done
done
exit 0
