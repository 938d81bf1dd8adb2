#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# random-kernels.sh [N] [--seed S] [--jobs J] [--thorough] [--exact] [--profile] [--record FILE] [--case SEED] …: N random kernels on PoCL
# alone and through SKMD (see tests/driver/random/README.md); --profile: in profiling mode, which must not be seen. The last line is
# `N programs, M failures`; exit status 0 only if nothing failed. Needs scripts/build.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
exec nice /usr/bin/python3 tests/driver/random/random_test.py build "$@"
