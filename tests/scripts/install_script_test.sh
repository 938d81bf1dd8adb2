#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scripts/install-test.sh where it cannot run, and the commands that it takes from README.md: install_script_test.sh SOURCE.
set -uo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

"$source/scripts/install-test.sh" --nonsense 2>/dev/null
[[ $? -eq 2 ]] || fail 'an unknown option is taken'

# Root or not, debootstrap or not: without a build it says why it does not run, with a status of its own.
"$source/scripts/install-test.sh" "$work" 2>"$work/err"
[[ $? -eq 77 ]] || fail "status without a build"
grep -q '^install-test: cannot be run here: .' "$work/err" || fail "no reason: $(cat "$work/err")"
# A user other than root is told so.
if [[ $EUID -eq 0 ]]; then
  setpriv --reuid 65534 --regid 65534 --clear-groups bash -s "$work" < <(sed "s|^cd .*||" "$source/scripts/install-test.sh") 2>"$work/err"
  [[ $? -eq 77 ]] || fail "status without root"
  grep -q 'needs root' "$work/err" || fail "who is not root is not told so: $(cat "$work/err")"
fi

for name in pack install; do
  sed -n "/^<!-- tested by scripts\/install-test.sh: $name -->\$/,/^\`\`\`\$/p" "$source/README.md" | grep -qE 'cpack|apt install' ||
    fail "README.md shows no command for '$name'"
done
echo passed
