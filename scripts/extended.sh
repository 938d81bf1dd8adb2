#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that takes hours, and one table of it: extended.sh [--quick] [--list] [STEP…]. Exit status 0 only if every step
# passed. --quick makes every step short. Logs of the steps are in build/extended/.
set -uo pipefail
cd "$(dirname "$0")/.."

# Name and command, in the order of running. A command is a script of this folder or a function below.
steps=(
  "test     scripts/test.sh"
  "gcc      scripts/build.sh gcc"
  "tidy     tidy"
  "ways     every_way"
  "random   random_kernels"
  "suites   suites"
  "faults   faults"
  "fuzz     fuzz"
  "asan     sanitized asan"
  "tsan     sanitized tsan"
  "models   long_models"
  "database database_torture"
  "hosts    far_hosts"
  "install  scripts/install-test.sh"
)
quick=0

tidy() {
  if [[ $quick -ne 0 ]]; then scripts/check-tidy.sh --most 10; else scripts/check-tidy.sh --all; fi
}

# The tests of the CPU driver's code with every instruction set and every width.
every_way() {
  local filter='*' program
  [[ $quick -eq 0 ]] || filter='*Kernels*'
  scripts/build.sh release cpu_kernels_test || return 1
  program=$(find build/tests/cpu-driver -name cpu_kernels_test -type f)
  SKMD_TEST_WAYS=every "$program" --gtest_brief=1 --gtest_filter="$filter"
}

# As they are, in profiling mode, on our own CPU driver, and in shared virtual memory.
random_kernels() {
  local way
  for way in "" --profile --cpu --svm; do scripts/random-kernels.sh $((quick ? 2 : 2000)) $way || return 1; done
}

suites() {
  if [[ $quick -ne 0 ]]; then scripts/suites.sh --quick; else scripts/suites.sh; fi
}

faults() {
  if [[ $quick -ne 0 ]]; then scripts/fault-matrix.sh --every 100; else scripts/fault-matrix.sh; fi
}

fuzz_targets=(checkpoint reply traits program_binary options settings icd_file)

# New inputs are kept in build/fuzz/found; what crashes a target is there too, by libFuzzer's own name (crash-…).
fuzz() {
  local seconds=$((quick ? 2 : 60)) status=0 target found
  if [[ -z "$(ls /usr/lib/llvm-22/lib/clang/22/lib/*/libclang_rt.fuzzer*.a 2>/dev/null)" ]]; then
    echo "no libFuzzer: install libclang-rt-22-dev"
    return 1
  fi
  scripts/build.sh fuzz "${fuzz_targets[@]/#/fuzz_}" || return 1
  for target in "${fuzz_targets[@]}"; do
    found=build/fuzz/found/$target
    mkdir -p "$found"
    echo "== $target, $seconds s"
    # The leak checker needs ptrace, which containers often forbid; a leak in a decoder shows as memory here.
    ASAN_OPTIONS=detect_leaks=0 "$(find build/fuzz -name "fuzz_$target" -type f)" -max_total_time="$seconds" -timeout=10 \
      -rss_limit_mb=2048 -max_len=8192 -artifact_prefix="$found/" "$found" "tests/fuzz/corpus/$target" 2>&1 | tail -n 15 ||
      { echo "FAILED: $target"; status=1; }
  done
  return $status
}

# What many threads share, again and again, eight at a time: API, conductor, residency.
sanitized() {
  local preset=$1
  scripts/build.sh "$preset" || return 1
  export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
  export ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=1
  export TSAN_OPTIONS=suppressions=$PWD/.ci/tsan.supp:halt_on_error=0:second_deadlock_stack=1
  local threads='driver_threads|driver_traffic|api_refusal|delayed\.|Kinds/|Compositions/|Machines/|Seeds/'
  threads+='|InOrder|OutOfOrder|Chained|Events|Executor|Pool|Rescue|Meeting|Failure|Replay|Split|Auto|Whole|InPlace|Maps|Transfers'
  tests_named "build/$preset" "^($threads)" -L 'unit|stub' -LE 'lit|device|plain' --parallel 8 \
    --repeat "until-fail:$((quick ? 1 : 5))"
}

# Random histories against plain models, and random kernels against their footprints, from other seeds each time.
long_models() {
  local seed
  for ((seed = 1; seed <= (quick ? 1 : 20); ++seed)); do
    echo "== seed $seed"
    SKMD_TEST_SEED=$seed SKMD_TEST_PROGRAMS=$((quick ? 20 : 500)) \
      tests_named build '^(residency_model|Compositions/LaunchModel|AnalysisSoundness)' || return 1
  done
}

# The profile database: 200 rounds of 50 processes that are killed at random, a cut at every length, bit flips, and every
# single call of SQLite's failing.
database_torture() {
  scripts/build.sh release profile_database_torture_test || return 1
  SKMD_TEST_ROUNDS=$((quick ? 2 : 200)) build/tests/profiler/database/profile_database_torture_test --gtest_brief=1
}

# Devices of other hosts: 500 random kernels, a server lost in mid-launch 20 times each way, 60 disturbances of server and link, every
# call of a server's driver failing, and other projects' suites on one far device.
far_hosts() {
  scripts/remote-engine.sh || return 1
  SKMD_TEST_PROGRAMS=$((quick ? 30 : 500)) SKMD_TEST_ROUNDS=$((quick ? 1 : 10)) scripts/remote-test.sh || return 1
  scripts/suites.sh --modes far $([[ $quick -eq 0 ]] || echo --quick)
}

tests_named() {
  local folder=$1 pattern=$2
  shift 2
  ctest --test-dir "$folder" --no-tests=error --timeout "${SKMD_TEST_TIMEOUT:-1800}" --output-on-failure -R "$pattern" "$@"
}

table=""
failures=0
run_step() {
  local name=$1 start=$SECONDS status result elapsed
  shift
  printf '== %s: %s\n' "$name" "$*"
  if [[ "$1" == scripts/* && ! -x "$1" ]]; then
    echo "there is no $1" >"$logs/$name.log"
    status=127
  else
    "$@" >"$logs/$name.log" 2>&1
    status=$?
  fi
  elapsed=$((SECONDS - start))
  result=passed
  if [[ $status -ne 0 ]]; then
    result="FAILED ($status)"
    failures=$((failures + 1))
    tail -n 20 "$logs/$name.log"
  fi
  table+=$(printf '%-10s %-14s %02d:%02d:%02d' "$name" "$result" $((elapsed / 3600)) $((elapsed / 60 % 60)) $((elapsed % 60)))$'\n'
}

# Steps of a file instead of these: the test of this script has its own.
[[ -z "${SKMD_EXTENDED_STEPS:-}" ]] || mapfile -t steps <"$SKMD_EXTENDED_STEPS"

wanted=()
for word in "$@"; do
  case $word in
    --quick) quick=1 ;;
    --list)
      printf '%s\n' "${steps[@]}"
      exit 0
      ;;
    -*)
      echo "usage: extended.sh [--quick] [--list] [STEP…]" >&2
      exit 2
      ;;
    *) wanted+=("$word") ;;
  esac
done
[[ $quick -eq 0 ]] || export SKMD_QUICK=1
logs=${SKMD_EXTENDED_LOGS:-build/extended}
mkdir -p "$logs"

for word in "${wanted[@]}"; do
  if ! printf '%s\n' "${steps[@]%% *}" | grep -qxF -- "$word"; then
    echo "extended.sh: there is no step '$word'; steps are: ${steps[*]%% *}" >&2
    exit 2
  fi
done
for step in "${steps[@]}"; do
  read -r name command <<<"$step"
  if [[ ${#wanted[@]} -gt 0 ]] && ! printf '%s\n' "${wanted[@]}" | grep -qxF -- "$name"; then continue; fi
  read -ra words <<<"$command"
  run_step "$name" "${words[@]}"
done

printf '\n%-10s %-14s %s\n%s' step result time "$table"
exit $((failures > 0))
