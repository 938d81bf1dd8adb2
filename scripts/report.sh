# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that run tests: progress lines with the time since the start, and counts of what passed and failed.
passed=0
failed=0
# Names and last lines of what failed: a reader who keeps only the end of a long log needs them there.
failures=
# A file that the script which started this one repeats in its own summary; no test's business.
report_failures=${SKMD_REPORT_FAILURES:-/dev/null}
unset SKMD_REPORT_FAILURES
report_start=$SECONDS

say() {
  local elapsed=$((SECONDS - report_start))
  printf '== %02d:%02d %s\n' $((elapsed / 60)) $((elapsed % 60)) "$*"
}

# Runs a command that everything after it needs. One that fails counts as a failed test.
step() {
  "$@" && return 0
  failed=$((failed + 1))
  say "FAILED: $*"
  failures+="-- FAILED: $*"$'\n'
  return 1
}

# run_tests FOLDER|PRESET [ctest options…]: adds to the counts. A build folder without a single test counts as a failure.
run_tests() {
  local where=(--preset "$1") junit
  [[ ! -d $1 ]] || where=(--test-dir "$1")
  shift
  junit=$(mktemp)
  ctest "${where[@]}" --parallel "$(nproc)" --timeout "${SKMD_TEST_TIMEOUT:-600}" --output-on-failure \
    --no-tests=error --output-junit "$junit" "$@" | grep -v --line-buffered -E '^ *Start +[0-9]+:'
  read_counts "$junit"
  failures+=$(failed_tests "$junit")$'\n'
  rm -f "$junit"
}

read_counts() {
  local counts
  if ! counts=$(/usr/bin/python3 - "$1" <<'PYTHON'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot()
total, failures = int(suite.get("tests")), int(suite.get("failures"))
skipped = int(suite.get("skipped", 0)) + int(suite.get("disabled", 0))
# GoogleTest skips the tests of a suite whose set-up failed.
broken = sum(case.get("status") == "notrun" and ": Failure" in (case.findtext("system-out") or "") for case in suite.iter("testcase"))
failures, skipped = failures + broken, skipped - broken
print(total - failures - skipped, failures, skipped)
PYTHON
  ); then
    failed=$((failed + 1))
    say "FAILED: ctest left no result"
    return
  fi
  local ok bad skipped
  read -r ok bad skipped <<<"$counts"
  passed=$((passed + ok))
  failed=$((failed + bad))
  [[ $skipped -eq 0 ]] || say "skipped: $skipped"
  [[ $((ok + bad)) -gt 0 ]] || { failed=$((failed + 1)); say "FAILED: no test ran"; }
}

failed_tests() {
  /usr/bin/python3 - "$1" <<'PYTHON'
import sys, xml.etree.ElementTree as tree
try:
    cases = tree.parse(sys.argv[1]).getroot().iter("testcase")
except (OSError, tree.ParseError):
    sys.exit()
for case in cases:
    text = case.findtext("system-out") or ""
    if case.get("status") == "fail" or case.get("status") == "notrun" and ": Failure" in text:
        output = text.strip().splitlines()[-25:]
        print(f"-- FAILED: {case.get('name')}", *(line[:300] for line in output), sep="\n")
PYTHON
}

summary() {
  # All names of failed tests. Their output, below, is cut after 6,000 characters.
  grep '^-- FAILED' <<<"$failures"
  grep -v '^$' <<<"${failures:0:6000}" | tee -a "$report_failures"
  say "done"
  echo "$passed passed, $failed failed"
}
