#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packages, release build, every test. The last line is `N passed, N failed`; exit status 0 only if nothing failed.
set -uo pipefail
cd "$(dirname "$0")/.."
source scripts/report.sh

finish() {
  summary
  exit $((failed > 0))
}

say "packages"
step scripts/setup.sh || finish
say "release build"
step scripts/build.sh release || finish
say "tests"
run_tests build
finish
