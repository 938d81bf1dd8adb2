// SPDX-License-Identifier: Apache-2.0
// The fault matrix's session once, over the devices that the environment names: for failures that are not made here,
// but by a driver of another host (tests/remote/faults_test.py). Exit status 1 if a result is wrong, or an error is
// none that the specification gives the call.
#include <cstdio>

#include "tests/faults/session.h"

int main() {
  const skmd::test::Outcome outcome = skmd::test::run_session();
  std::printf("{\"good\": %s, \"errors\": %zu}\n", outcome.good ? "true" : "false", outcome.errors);
  return outcome.good ? 0 : 1;
}
