#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One case a call: skmd_run_cases.sh TREE CASE. TREE has bin/skmd-run, lib/libskmd.so (which only reports) and bench/reporting_app.
set -uo pipefail
tree=$1
run=$tree/bin/skmd-run
app=$tree/bench/reporting_app
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
unset ${!SKMD_*} OCL_ICD_VENDORS OCL_ICD_FILENAMES OPENCL_VENDOR_PATH
export SKMD_CACHE_DIR=$work/cache

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

expect() { # expect WANTED GOT WHAT
  [[ "$2" == "$1" ]] || fail "$3 is '$2', wanted '$1'"
}

value() { # value FILE PYTHON-EXPRESSION over document d
  /usr/bin/python3 -c 'import json,sys; d=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"
}

runs_where_ssh_reaches_no_host() {
  local told
  told=$(SKMD_SSH=false "$run" --hosts ssh:me@hostc,b:1 -- sh -c 'echo "$SKMD_HOSTS"; exit 37' 2>"$work/errors")
  expect 37 $? status
  expect ssh:me@hostc=,b:1 "$told" "the application's list"
  expect "skmd-run: ssh:me@hostc: is left out: skmd-serve ended with status 1" "$(cat "$work/errors")" "standard error"
  told=$(SKMD_SSH=false SKMD_HOSTS=ssh:hostc "$run" -- sh -c 'echo "$SKMD_HOSTS"' 2>"$work/errors")
  expect ssh:hostc= "$told" "the application's list, by the variable"
}

lists_the_nodes_of_a_slurm_job() {
  unset ${!SLURM*}
  told() { "$@" sh -c 'echo "<$SKMD_HOSTS>"'; }
  "$run" --hosts slurm -- touch "$work/started" 2>"$work/errors"
  expect 125 $? 'status without a job'
  [[ ! -e $work/started ]] || fail 'the application was started'
  grep -q "^skmd-run: --hosts: 'slurm' is the nodes of a SLURM job, and neither" "$work/errors" || fail "$(cat "$work/errors")"

  export SLURM_JOB_NODELIST='node[08-10],gpu5' SLURMD_NODENAME=node09
  expect '<node08:10998,node10:10998,gpu5:10998,b:1>' "$(told "$run" --hosts slurm,b:1 --)" "the application's list"
  expect '<gpu5:2,node08:2,node10:2>' "$(SLURM_JOB_NODELIST='gpu5,node[08-10]' told env SKMD_HOSTS=slurm:2 "$run" --)" 'by the variable'
  expect '<node08:10998,node10:10998,gpu5:10998>' "$(told "$tree/bin/skmd-profile" --db "$work/p.db" run -- env SKMD_HOSTS=slurm "$run" --)" 'within another'
  expect '<node08:10998,node10:10998,gpu5:10998>' "$(SKMD_HOSTS=slurm told "$tree/bin/skmd-profile" --db "$work/p.db" run --)" 'by skmd-profile'
  printf 'slurm # ours\nb:1\n' >"$work/hosts"
  expect '<node08:10998,node10:10998,gpu5:10998,b:1>' "$(told "$run" --hosts "@$work/hosts" --)" 'by a file'
  expect '<>' "$(SLURM_JOB_NODELIST=node09 told "$run" --hosts slurm --)" 'a job of one node'
  unset SLURMD_NODENAME
  expect "<b:10998>" "$(SLURM_JOB_NODELIST="b,$(hostname)" told "$run" --hosts slurm --)" 'our own by its host name'

  SLURM_JOB_NODELIST='node[08-10' "$run" --hosts slurm -- touch "$work/started" 2>"$work/errors"
  expect 125 $? 'status of a wrong list'
  expect "skmd-run: SLURM_JOB_NODELIST: 'node[08-10' is wrong at character 5: the bracket is not closed" "$(cat "$work/errors")" message
  [[ ! -e $work/started ]] || fail 'the application was started'
}

passes_the_exit_status_on() {
  "$run" -- sh -c 'exit 37'
  expect 37 $? status
  "$run" true
  expect 0 $? status
}

tells_the_signal_that_ended_the_application() {
  "$run" -- sh -c 'kill -TERM $$'
  expect 143 $? status
}

does_not_leave_the_application_behind() {
  "$run" -- sh -c 'echo $$ >"$0"; exec sleep 300' "$work/child" &
  until [[ -s $work/child ]]; do sleep 0.02; done
  kill -KILL $!
  wait $! 2>/dev/null
  for _ in {1..500}; do
    # Its new parent may not have asked for its status yet.
    [[ $(cut -d ' ' -f 3 "/proc/$(cat "$work/child")/stat" 2>/dev/null) == [^ZX] ]] || return 0
    sleep 0.02
  done
  kill -KILL "$(cat "$work/child")"
  fail 'the application outlives a skmd-run that was killed'
}

leaves_arguments_and_standard_input_alone() {
  expect '<--stats><a b><--><->' "$("$run" --log off -- printf '<%s>' --stats 'a b' -- -)" arguments
  expect '<--help>' "$("$run" printf '<%s>' --help)" 'arguments without --'
  expect hello "$(echo hello | "$run" -- cat)" 'standard input'
}

shows_the_loader_our_driver_only() {
  OCL_ICD_FILENAMES=/other.so "$run" -- sh -c 'ls $OCL_ICD_VENDORS; cat $OCL_ICD_VENDORS/*; echo "$OCL_ICD_FILENAMES"
    test "$OCL_ICD_VENDORS" = "$OPENCL_VENDOR_PATH" && echo same' >"$work/out"
  local driver
  driver=$(realpath "$tree")/lib/libskmd.so
  expect "skmd.icd $driver $driver same" "$(tr '\n' ' ' <"$work/out" | sed 's/ $//')" 'what a loader sees'
}

keeps_the_users_vendors() {
  expect /etc/OpenCL/vendors "$("$run" -- printenv SKMD_VENDORS)" default
  mkdir "$work/vendors"
  expect "$work/vendors" "$(OCL_ICD_VENDORS=$work/vendors "$run" -- printenv SKMD_VENDORS)" "the loader's folder"
  expect /given "$(SKMD_VENDORS=/given OCL_ICD_VENDORS=$work/vendors "$run" -- printenv SKMD_VENDORS)" 'the variable'
  echo libother.so >"$work/other.icd"
  expect libother.so "$(OCL_ICD_VENDORS=$work/other.icd "$run" -- sh -c 'cat $SKMD_VENDORS/*.icd')" 'a single .icd file'
  expect libmore.so "$(OCL_ICD_VENDORS=libmore.so "$run" -- sh -c 'cat $SKMD_VENDORS/*.icd')" 'a library'
}

makes_paths_absolute() {
  cd "$work" || fail cd
  expect "$work/s-%p.json $work/t info:$work/l" \
    "$("$run" --stats s-%p.json --trace=t --log info:l -- sh -c 'echo $SKMD_STATS $SKMD_TRACE $SKMD_LOG' 2>/dev/null)" paths
  expect "$work/p.db" "$("$run" --profile-db p.db -- sh -c 'echo $SKMD_PROFILE_DB' 2>/dev/null)" database
  expect "read:$work/p.db" "$(SKMD_PROFILE_DB=read:p.db "$run" -- sh -c 'echo $SKMD_PROFILE_DB' 2>/dev/null)" "database that is read"
  expect off "$("$run" --profile-db off -- sh -c 'echo $SKMD_PROFILE_DB' 2>/dev/null)" "no database"
}

is_not_ended_by_a_signal_that_comes_with_the_end() {
  mkfifo "$work/input"
  "$run" -- sh -c 'trap "" USR1 TERM; echo $$ >"$1"; read -r line' sh "$work/child" <"$work/input" &
  local runner=$! child
  exec 9>"$work/input"
  until [[ -s $work/child ]]; do sleep 0.02; done
  child=$(cat "$work/child")
  # While skmd-run cannot look, two signals come and the application ends: one of them is still there when it has been seen.
  kill -STOP $runner
  until grep -q '^State:.T' /proc/$runner/status; do sleep 0.02; done
  kill -USR1 $runner
  kill -TERM $runner
  exec 9>&-
  until grep -q '^State:.Z' "/proc/$child/status"; do sleep 0.02; done
  kill -CONT $runner
  wait $runner
  expect 1 $? status  # of a read that finds the end
  expect "" "$(ls "$TMPDIR")" 'what is left'
}

forwards_a_signal_sent_to_it() {
  "$run" -- sh -c 'trap "exit 9" USR1; touch '"$work"'/ready; while :; do sleep 0.05; done' &
  local runner=$!
  until [[ -e $work/ready ]]; do sleep 0.05; done
  kill -USR1 $runner
  wait $runner
  expect 9 $? status
}

names_a_program_that_is_missing() {
  "$run" -- /no/such/program 2>"$work/err"
  expect 127 $? status
  grep -q "cannot run '/no/such/program': No such file" "$work/err" || fail "message: $(cat "$work/err")"
  touch "$work/plain"
  "$run" -- "$work/plain" 2>"$work/err"
  expect 126 $? 'status of a file that is no program'
}

names_a_wrong_setting_before_the_application_starts() {
  REPORTING_DRIVER_ERROR='SKMD_PARTITION is "x"' "$run" --partition x -- touch "$work/started" 2>"$work/err"
  expect 125 $? status
  [[ ! -e $work/started ]] || fail 'the application was started'
  grep -q 'SKMD_PARTITION is "x"' "$work/err" || fail "message: $(cat "$work/err")"
}

refuses_unknown_options() {
  "$run" --bogus -- touch "$work/started" 2>"$work/err"
  expect 125 $? status
  [[ ! -e $work/started ]] || fail 'the application was started'
  grep -q -e --bogus "$work/err" || fail "message: $(cat "$work/err")"
  "$run" --stats 2>/dev/null
  expect 125 $? 'status of an option without its value'
}

writes_stats_of_a_killed_application() {
  "$run" --stats "$work/s.json" -- "$app" 500 0 kill
  expect 137 $? status
  expect '500 [1500, 3500]' \
    "$(value "$work/s.json" 'str(d["kernels"][0]["launches"])+" "+str(d["kernels"][0]["groups"])')" counts
}

writes_stats_of_an_application_that_exits_at_once() {
  SKMD_STATS=$work/s.json "$run" -- "$app" 3 0 exit
  expect 0 $? status
  expect 3 "$(value "$work/s.json" 'd["kernels"][0]["launches"]')" launches
}

adds_up_several_processes() {
  "$run" --stats "$work/s.json" -- sh -c "'$app' 3 0 return; '$app' 4 0 kill; '$app' 0 0 return"
  expect 0 $? status
  expect '7 [21, 49] 7' "$(value "$work/s.json" \
    'str(d["kernels"][0]["launches"])+" "+str(d["kernels"][0]["groups"])+" "+str(d["kernels"][0]["split_launches"])')" counts
}

writes_a_file_per_process() {
  "$run" --stats "$work/s-%p.json" -- sh -c "'$app' 3 0 exit; '$app' 4 0 exit"
  local launches=()
  for file in "$work"/s-*.json; do launches+=("$(value "$file" 'd["kernels"][0]["launches"]')"); done
  expect '3 4' "$(printf '%s\n' "${launches[@]}" | sort | tr '\n' ' ' | sed 's/ $//')" 'launches of both'
}

says_when_there_is_nothing_to_count() {
  "$run" --stats "$work/s.json" -- true 2>"$work/err"
  expect 0 $? status
  grep -q 'did not use OpenCL' "$work/err" || fail "message: $(cat "$work/err")"
  [[ ! -e $work/s.json ]] || fail 'a stats file without counts'
}

fails_on_mismatches() {
  "$run" --verify -- "$app" 5 2 return 2>"$work/err"
  expect 1 $? status
  grep -q 'verify: 2 results differ' "$work/err" || fail "message: $(cat "$work/err")"
  "$run" --verify -- "$app" 5 0 return
  expect 0 $? 'status without mismatches'
  "$run" -- "$app" 5 2 return
  expect 0 $? 'status without --verify'
}

cleans_up_after_itself() {
  "$run" --stats "$work/s.json" --devices x -- "$app" 1 0 kill
  expect '' "$(ls -A "$TMPDIR")" 'what is left in TMPDIR'
}

ends_cleanly() { # ends_cleanly FILE DOING OPTIONS…: told to end once FILE is there
  local file=$1 doing=$2 process status i
  shift 2
  "$run" "$@" -- touch "$work/started" 2>"$work/err" &
  process=$!
  for ((i = 0; i < 200; ++i)); do
    [[ ! -e $file ]] || break
    sleep 0.05
  done
  kill -TERM "$process"
  wait "$process"
  status=$?
  expect 143 $status status
  expect "skmd-run: ended by a signal while $doing" "$(cat "$work/err")" 'standard error'
  [[ ! -e $work/started ]] || fail 'the application was started'
  expect '' "$(ls -A "$TMPDIR")" 'what is left in TMPDIR'
}

cleans_up_when_it_is_ended_while_it_tries_hosts() {
  local folder
  # Told at once to end; else it would end by itself a while after its input does.
  cat >"$work/ssh" <<TEXT
#!/bin/sh
trap 'touch "$work/terminated"; exit 0' TERM
echo "\$*" >"$work/arguments"
touch "$work/trying"
cat >/dev/null
sleep 2 &
wait
TEXT
  chmod +x "$work/ssh"
  SKMD_SSH=$work/ssh ends_cleanly "$work/trying" 'hosts were tried' --hosts ssh:hostc
  [[ -e $work/terminated ]] || fail 'ssh was not told to end'
  folder=$(grep -o '/tmp/skmd-ssh-[^/ ]*' "$work/arguments" | head -n 1)
  [[ -n $folder && ! -e $folder ]] || fail "the folder of the connections: '$folder'"
}

cleans_up_when_it_is_ended_while_drivers_hang() {
  REPORTING_DRIVER_HANGS=$work/hangs ends_cleanly "$work/hangs" 'devices were looked for' --devices x
}

info_prints_the_drivers_answer() {
  "$tree/bin/skmd-info" >"$work/out" || fail "status $?"
  for line in 'virtual device: all in one' '  0  one  (anchor)' '  two: too old' 'kernels: 0'; do
    grep -qxF "$line" "$work/out" || fail "no line '$line' in $(cat "$work/out")"
  done
  "$tree/bin/skmd-info" --json >"$work/out" || fail "status $?"
  expect one "$(value "$work/out" 'd["devices"][0]["name"]')" 'first device'
}

info_shows_the_profile_database() {
  info() { SKMD_PROFILE_DB=$1 "$tree/bin/skmd-info" "${@:2}" >"$work/out" || fail "status $?: $(cat "$work/out")"; }
  info off
  grep -qxF 'profile database: off' "$work/out" || fail "$(cat "$work/out")"
  info ''
  grep -qxF "profile database: $SKMD_CACHE_DIR/profile.db (it is not there)" "$work/out" || fail "$(cat "$work/out")"
  [[ ! -e $SKMD_CACHE_DIR/profile.db ]] || fail 'it was made'
  {
    echo '{"skmd_profile":1}'
    echo '{"program":"p","kernel":"k","form":"ready","platform":"P","device":"D","driver":"7","units":4,"tag":"","dims":1,
      "offset":[0,0,0],"global":[64,1,1],"local":[64,1,1],"first":0,"last":1,"boxes":1,"buffers":[],"scalars":[],
      "group_operations":0,"group_bytes":0,"kernel_ns":5,"to_ns":0,"from_ns":0,"warm":true,"first_use":false,"commit":"c",
      "date":1700000000}' | tr -d '\n' && echo
  } >"$work/p.jsonl"
  "$tree/bin/skmd-profile" --db "$work/p.db" import "$work/p.jsonl" >/dev/null || fail import
  local file
  for file in "$work/p.db" "read:$work/p.db"; do
    info "$file"
    grep -qxF "profile database: $work/p.db, $(stat -c %s "$work/p.db") bytes" "$work/out" || fail "$(cat "$work/out")"
    grep -qxF '  device D, P, driver 7: imported' "$work/out" || fail "$(cat "$work/out")"
  done
  info "$work/p.db" --json
  expect "['bytes', 'devices', 'file', 'links', 'problem']" "$(value "$work/out" 'sorted(d["profile"])')" keys
  expect '[] None' "$(value "$work/out" 'str(d["profile"]["links"]) + " " + str(d["profile"]["problem"])')" values
  echo 'no database at all, and longer than a head' >"$work/bad.db"
  info "$work/bad.db"
  grep -q "^profile database: $work/bad.db (" "$work/out" || fail "$(cat "$work/out")"
  expect 'no database at all, and longer than a head' "$(cat "$work/bad.db")" 'the damaged file'
}

info_says_why_there_is_no_platform() {
  REPORTING_DRIVER_ERROR='no device matches "x"' "$tree/bin/skmd-info" 2>"$work/err"
  expect 1 $? status
  expect 'skmd-info: no device matches "x"' "$(cat "$work/err")" message
}

explain_takes_a_statistics_file() {
  cat >"$work/stats.json" <<'JSON'
{"version":1,"devices":[{"name":"one","kind":"cpu","backend":"icd"}],
 "kernels":[{"name":"k","program":"p","access":"contiguous","launches":2,"split_launches":0,"groups":[4],"merge":{},
   "not_split":{"one_group":2},"seconds":0.5,"predicted_seconds":0.0}],
 "transfers":[{"device":0,"bytes_to":1,"bytes_from":2}],"partition":{"count":0,"p50_us":0.0,"max_us":0.0},
 "verify":{"launches":0,"mismatches":0}}
JSON
  "$tree/bin/skmd-info" explain "$work/stats.json" >"$work/out" || fail "status $?"
  grep -qF '2 launches stayed whole (one_group): The launch has one work-group' "$work/out" || fail "$(cat "$work/out")"
}

# refused STATUS WORDS FILE…: explain says these words and nothing else.
refused() {
  local status=$1 words=$2
  shift 2
  "$tree/bin/skmd-info" explain "$@" >"$work/out" 2>"$work/err"
  expect "$status" $? "status for $*"
  grep -qF -- "$words" "$work/err" || fail "no '$words' in $(cat "$work/err")"
  [[ ! -s $work/out ]] || fail "output: $(cat "$work/out")"
}

explain_refuses_what_it_does_not_know() {
  refused 2 'cannot be read' "$work/nothing"
  refused 2 'is a folder' "$work"
  : >"$work/empty"
  refused 1 'is empty' "$work/empty"
  head -c 300 /bin/true >"$work/binary"
  refused 1 'neither a statistics file (SKMD_STATS) nor OpenCL C' "$work/binary"
  echo '{"version":1,"devices":[' >"$work/cut.json"
  refused 1 'not JSON from byte' "$work/cut.json"
  echo '{"traceEvents":[]}' >"$work/trace.json"
  refused 1 '"version" is not a count' "$work/trace.json"
  echo 'kernel void k() {}' >"$work/k.cl"
  refused 1 'skmd-compile is not in the libexec/skmd folder' "$work/k.cl"
}

[[ $(type -t "$2") == function ]] || fail "no case '$2'"
"$2"
