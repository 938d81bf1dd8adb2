// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Of 4 elements each: load 4, exponential 4 * 8, product 4, store 4; then load, division 8, sum, store, return.
__kernel void k(__global float4* c, __global int* d, int n) {
  const size_t i = get_global_id(0);
  c[i] = exp(c[i]) * c[i];
  d[i] = d[i] / n + 3;
  // CHECK: operations: 56{{$}}
  // CHECK-NOT: operations
}
