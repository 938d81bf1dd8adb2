#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/check-gcc.sh says of a good and a bad file whose commands are Clang's: check_gcc_test.sh SOURCE.
set -uo pipefail
source=$1
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
check() { "$source/scripts/check-gcc.sh" -p "$work" "$@" >"$work/out" 2>&1; }

printf '#ifndef __clang__\nbool positive(int x) { return x > 0; }\n#endif\n' >"$work/good.cpp"
printf '#ifndef __clang__\nunsigned add(unsigned x) { int unused = 1; return x; }\n#endif\n' >"$work/bad.cpp"
options='-Wall -Werror -Wthread-safety -Winvalid-pch -Xclang -include-pch -Xclang /no/such/cmake_pch.hxx.pch -Xclang -include -Xclang /no/such/cmake_pch.hxx'
entry() { printf '{"directory": "%s", "file": "%s", "command": "env A=b clang++-22 -std=c++20 %s -o %s -c %s"}' "$work" "$1" "$options" "$1.o" "$1"; }
printf '[%s, %s]' "$(entry "$work/good.cpp")" "$(entry "$work/bad.cpp")" >"$work/compile_commands.json"
check "$work/good.cpp" || fail "a good file: $(cat "$work/out")"
grep -q '^check-gcc: 1 files in .*, 0 do not compile' "$work/out" || fail "it was not compiled: $(cat "$work/out")"
check "$work/good.cpp" "$work/bad.cpp"
[[ $? -eq 1 ]] || fail "a planted warning of GCC's passes: $(cat "$work/out")"
grep -q 'bad.cpp:2:.*unused' "$work/out" || fail "the warning is not shown: $(cat "$work/out")"
[[ ! -e $work/good.cpp.o ]] || fail 'an object is kept'
check --since no_such_commit
[[ $? -eq 2 ]] || fail "a commit that is not there: $(cat "$work/out")"
exit 0
