// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Irreducible: no loop of LLVM's, so nothing is claimed of what goes round.
__kernel void k(__global float* c, int n) {
  int i = 0;
  if (n > 5) goto middle;
top:
  c[i] = 1.0f;
  // CHECK-DAG: write arg 0 (c) [{{.*}}?{{.*}}] 4 bytes {{.*}}perhaps
middle:
  i += 3;
  c[i + 100] = 2.0f;
  // CHECK-DAG: write arg 0 (c) [{{.*}}?{{.*}}] 4 bytes {{.*}}perhaps
  if (i < n) goto top;
}
