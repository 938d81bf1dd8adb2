#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# crash_trace_test.sh LIBRARY: what ended a program, and where, is on standard error; its exit status stays.
set -uo pipefail
told=$(LD_PRELOAD=$1 /usr/bin/python3 -c 'import ctypes; ctypes.string_at(0)' 2>&1)
status=$?
[[ $status -eq 139 ]] || { echo "exit status $status, not that of SIGSEGV"; exit 1; }
grep -q '^crash: SEGV$' <<<"$told" || { echo "no signal in: $told"; exit 1; }
grep -qE '^[^ ]*libc\.so\.6\(.*\[0x' <<<"$told" || { echo "no frames in: $told"; exit 1; }
[[ -z $(LD_PRELOAD=$1 /bin/true 2>&1) ]] || { echo "it tells of a program that ended well"; exit 1; }
