// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Operations stand by the loops around them: per pass 2 of the body, an addition, a comparison and a branch.
__kernel void k(__global float* c, float x, int n, int m) {
  // CHECK: facts: uses_float{{$}}
  // CHECK: loop i0: 0 to (ulong)(n - 1){{$}}
  // CHECK: loop i1: 0 to (ulong)(m - 1){{$}}
  float sum = x;
  for (int i = 0; i < n; ++i) {
    sum = sum * x + 1.0f;
    for (int j = 0; j < m; ++j) sum = sum * x - sum;
  }
  c[get_global_id(0)] = sum;
  // The loop's first test, the store and the return.
  // CHECK: operations: 4{{$}}
  // CHECK-NEXT: operations: 1 if (n > 0)
  // CHECK-NEXT: operations: 5 in i0 if (n > 0)
  // CHECK-NEXT: operations: 5 in i0, i1 if (m > 0) and (n > 0)
  // CHECK-NOT: operations
}
