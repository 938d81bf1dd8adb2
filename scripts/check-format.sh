#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Is all C++ formatted as .clang-format says: check-format.sh [FILE…]; without files, all of the repository's. Names what is
# not, with the command that mends it. Exit status 0: all is; 1: not all; 2: the tool is not there.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/llvm-tools.sh

tool=$(llvm_tool clang-format) || exit 2
if [[ $# -gt 0 ]]; then files=("$@"); else mapfile -t files < <(cpp_files); fi
[[ ${#files[@]} -gt 0 ]] || { echo "check-format: no files" >&2; exit 2; }

# An exit status of 123 is xargs's for a command that found something.
report=$(printf '%s\0' "${files[@]}" | xargs -0 -n 50 -P "$(nproc)" "$tool" --style=file --dry-run -Werror 2>&1) && exit 0
mapfile -t bad < <(sed -nE 's/^([^ ].*):[0-9]+:[0-9]+: error: code should be clang-formatted.*/\1/p' <<<"$report" | sort -u)
if [[ ${#bad[@]} -eq 0 ]]; then
  echo "$report" >&2
else
  echo "check-format: not formatted: ${bad[*]}" >&2
  echo "check-format: $tool -i ${bad[*]}" >&2
fi
exit 1
