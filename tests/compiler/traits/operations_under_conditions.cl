// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Conditions on ids and scalars are kept; the one on memory is not, so that its branch counts as taken.
__kernel void k(__global const int* a, __global int* c, int n) {
  // CHECK: facts: memory_decides_address{{$}}
  const int i = get_global_id(0);
  if (i >= n) return;
  if (a[i] > 0) c[i] = a[i] * 3;
  // Comparison, branch and return; load, comparison and branch; product and store.
  // CHECK: operations: 3{{$}}
  // CHECK-NEXT: operations: 5 if (n > (int)global_id(0)){{$}}
  // CHECK-NOT: operations
}
