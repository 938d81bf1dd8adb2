#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What cmake/precompile.sh leaves beside precompiled headers: precompile_test.sh SOURCE.
set -uo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}
printf '#!/bin/sh\n[ "$1" != bad ] || exit 3\nfor last; do :; done\necho "$1" >"$last"\n' >"$work/compiler"
chmod +x "$work/compiler"
run() { sh "$source/cmake/precompile.sh" "$@"; }
cd "$work" || exit 1

run ./compiler one -o 'a b.pch' || fail "status $?"
[[ $(cat 'a b.pch.sum') == "$(sha256sum <'a b.pch')" ]] || fail 'the checksum is not that of the header'
run ./compiler two -o 'a b.pch' || fail "status $?"
[[ $(cat 'a b.pch.sum') == "$(sha256sum <'a b.pch')" ]] || fail 'the checksum is that of the header before'
run ./compiler bad -o 'a b.pch'
[[ $? -eq 3 ]] || fail "the compiler's status is lost"
[[ ! -e 'a b.pch.sum' ]] || fail 'a checksum stays of a header that was not made'
run ./compiler with a.pch -o a.o || fail "status $?"
run ./compiler gcc -o a.gch || fail "status $?"
[[ $(echo *.sum) == a.gch.sum ]] || fail "checksums of other things, or not of GCC's: $(echo *.sum)"
exit 0
