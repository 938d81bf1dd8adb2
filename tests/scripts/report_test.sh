#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/report.sh counts: report_test.sh SOURCE. Runs ctest on small folders made here.
set -uo pipefail
source "$1/scripts/report.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# suite NAME COMMAND…: a folder whose tests are these shell commands.
suite() {
  local folder=$work/$1 number=0
  shift
  mkdir "$folder"
  for command in "$@"; do
    number=$((number + 1))
    printf 'add_test(t%d "/bin/sh" "-c" "%s")\nset_tests_properties(t%d PROPERTIES SKIP_RETURN_CODE 77 LABELS unit)\n' \
      $number "$command" $number >>"$folder/CTestTestfile.cmake"
  done
}

suite mixed true true 'echo the reason; false' 'exit 77' 'kill -SEGV $$'
touch "$work/nothing"
run_tests "$work/mixed" >"$work/out" 2>&1
[[ "$passed $failed" == '2 2' ]] || fail "counts are '$passed $failed', wanted '2 2': $(cat "$work/out")"
grep -q 'skipped: 1' "$work/out" || fail 'a skipped test is not named'
summary >"$work/end"
[[ "$(tail -n 1 "$work/end")" == '2 passed, 2 failed' ]] || fail "closing line: $(tail -n 1 "$work/end")"
for line in '-- FAILED: t3' 'the reason' '-- FAILED: t5'; do
  grep -qxe "$line" "$work/end" || fail "the summary does not say '$line': $(cat "$work/end")"
done
grep -qE 't[124]$' "$work/end" && fail "the summary names a test that did not fail: $(cat "$work/end")"
SKMD_REPORT_FAILURES=$work/list bash -c 'source "$1"; step false; summary' - "$1/scripts/report.sh" >/dev/null
grep -qxe '-- FAILED: false' "$work/list" || fail 'an inner script does not hand its failures on'

mkdir "$work/empty"
run_tests "$work/empty" >"$work/out" 2>&1
[[ $failed -gt 2 ]] || fail 'a folder without tests is not a failure'

before=$failed
step false >/dev/null && fail 'a failing step succeeds'
[[ $failed -eq $((before + 1)) ]] || fail 'a failing step is not counted'

passed=0 failed=0
run_tests "$work/mixed" -R 't[12]$' >/dev/null 2>&1
[[ "$passed $failed" == '2 0' ]] || fail "a selection gives '$passed $failed'"

passed=0 failed=0
mkdir "$work/tree"
cat >"$work/tree/CMakePresets.json" <<PRESETS
{"version": 6, "configurePresets": [{"name": "there", "generator": "Ninja", "binaryDir": "$work/mixed"}],
 "testPresets": [{"name": "some", "configurePreset": "there", "filter": {"include": {"name": "t[125]$"}}}]}
PRESETS
cd "$work/tree" || fail 'no folder'
run_tests some >"$work/out" 2>&1
[[ "$passed $failed" == '2 1' ]] || fail "a preset gives '$passed $failed': $(cat "$work/out")"
cd "$work" || fail 'no folder'

passed=0 failed=0
suite skips 'echo a_test.cpp:7: Failure; exit 77' 'exit 77' true
run_tests "$work/skips" >"$work/out" 2>&1
[[ "$passed $failed" == '1 1' ]] || fail "a test that was skipped for a failure gives '$passed $failed'"
grep -q 'skipped: 1' "$work/out" || fail "a test that was skipped for a failure counts as skipped: $(cat "$work/out")"
summary >"$work/end"
grep -qxe '-- FAILED: t1' "$work/end" || fail 'a test that was skipped for a failure is not named'
