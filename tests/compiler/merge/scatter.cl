// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// The float arithmetic is gone; the permutation is loaded, and one word goes from the result to the buffer.
__kernel void k(__global float* out, __global const float* in, __global const int* where) {
  int i = get_global_id(0);
  out[where[i]] = sqrt(in[i]) * 2.0f + sin(in[i]);
}
// CHECK: kernel k: merge function, loads from where
// CHECK: define void @skmd_merge_k(ptr %0, i64 %1, i64 %2)
// CHECK-NOT: float
// CHECK-NOT: sqrt
// CHECK: load i32, ptr %{{[0-9]+}}, align 1
// CHECK-NOT: store
// CHECK: store i32
// CHECK-NOT: store
// CHECK-NOT: float
