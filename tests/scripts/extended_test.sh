#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What scripts/extended.sh makes of its steps: extended_test.sh SOURCE. The steps here are small ones of its own.
set -uo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

cat >"$work/steps" <<STEPS
good     touch $work/good
bad      false
quick    env
missing  scripts/no-such-script.sh
STEPS
extended() { SKMD_EXTENDED_STEPS=$work/steps SKMD_EXTENDED_LOGS=$work/logs "$source/scripts/extended.sh" "$@"; }

extended >"$work/out" 2>&1 && fail 'failed steps give status 0'
grep -qE '^good +passed +00:00:' "$work/out" || fail "no line of a good step: $(cat "$work/out")"
grep -qE '^bad +FAILED \(1\)' "$work/out" || fail 'no line of a bad step'
grep -qE '^missing +FAILED \(127\)' "$work/out" || fail 'a missing script is no failure'
grep -q 'there is no scripts/no-such-script.sh' "$work/out" || fail 'the missing script is not named'
[[ -e $work/good ]] || fail 'the step did not run'

rm "$work/good"
extended quick >"$work/out" || fail "a step that passes gives status $?"
grep -q SKMD_QUICK "$work/logs/quick.log" && fail 'quick without being asked'
[[ ! -e $work/good ]] || fail 'a step ran that was not asked for'
extended --quick quick >/dev/null || fail 'status of --quick'
grep -q SKMD_QUICK=1 "$work/logs/quick.log" || fail '--quick does not reach the steps'

extended nonsense 2>"$work/err" && fail 'an unknown step is taken'
grep -q "no step 'nonsense'" "$work/err" || fail 'the unknown step is not named'
extended --nonsense 2>/dev/null && fail 'an unknown option is taken'

# The real steps: every script that they name is there.
unset SKMD_EXTENDED_STEPS
"$source/scripts/extended.sh" --list >"$work/list" || fail '--list'
for script in $(grep -o 'scripts/[a-z.-]*' "$work/list"); do
  [[ -x $source/$script ]] || fail "$script is not there"
done
for folder in "$source"/tests/fuzz/corpus/*/; do
  grep -q "fuzz_targets=(.*\b$(basename "$folder")\b" "$source/scripts/extended.sh" || fail "$folder is not fuzzed"
done
echo passed
