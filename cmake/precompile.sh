#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the compiler's command, precompile.sh COMMAND…, and writes the checksum of the precompiled header that it makes, if it makes one,
# beside it as FILE.sum, which ccache takes in its stead. No checksum stays whose header could not be made.
made= before=
for word; do
  case $word in *.pch | *.gch) [ "$before" != -o ] || made=$word ;; esac
  before=$word
done
[ -z "$made" ] || rm -f "$made.sum"
"$@" || exit
[ -z "$made" ] || sha256sum <"$made" >"$made.sum"
