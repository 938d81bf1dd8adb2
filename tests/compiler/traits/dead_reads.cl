// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// What is read decides nothing, but vendors' compilers may leave it in: then it must be a place, and a divisor, all the same.
__kernel void k(__global const int* a, __global const int* b, __global const float* c, __global const int* d,
                __global float* e, __global const int* f, __global const int* g, __global const int* h) {
  // CHECK: read arg 0 (a) [global_id(0)*4] 4 bytes
  // CHECK-NOT: arg 2 (c)
  // CHECK-NOT: arg 3 (d)
  // CHECK: read arg 7 (h) [global_id(0)*4] 4 bytes
  // CHECK: read arg 5 (f) [global_id(0)*4] 4 bytes
  // CHECK: read arg 6 (g) [global_id(0)*4] 4 bytes
  // CHECK: write arg 4 (e)
  float unused = c[a[get_global_id(0)]];
  int also_unused = d[get_global_id(0)];
  int quotient = 100 / h[get_global_id(0)];
  int variable[4];
  variable[f[get_global_id(0)]] = 1;
  e[get_global_id(0)] = c[g[get_global_id(0)]];
  e[get_global_id(0)] = 1.0f;
}
