#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/remote-engine.sh and scripts/remote-test.sh where the engine's source cannot be had: one line, exit status 3, and the
# machine's apt unchanged.   remote_engine_test.sh SOURCE-FOLDER
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }
lists() { find /var/lib/apt/lists /etc/apt -type f -printf '%p %s %T@\n' 2>/dev/null | sort; }

before=$(lists)
status=0
# A proxy that nothing listens at.
env http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 "$source/scripts/remote-engine.sh" "$work/build" >"$work/out" 2>"$work/err" || status=$?
[[ $status -eq 3 ]] || fail "status $status without a source: $(cat "$work/out" "$work/err")"
[[ $(wc -l <"$work/err") -eq 1 && ! -s $work/out ]] || fail "more or less than one line: $(cat "$work/out" "$work/err")"
[[ $(cat "$work/err") == remote-engine:* ]] || fail "the line does not say who: $(cat "$work/err")"
[[ $(lists) == "$before" ]] || fail "the machine's apt has changed"
[[ ! -e $work/build/lib/skmd/libpocl-remote.so ]] || fail "there is a library"

status=0
"$source/scripts/remote-test.sh" --build "$work/build" >"$work/out" 2>"$work/err" || status=$?
[[ $status -eq 3 && $(wc -l <"$work/err") -eq 1 ]] || fail "remote-test.sh without the engine: status $status, $(cat "$work/err")"
