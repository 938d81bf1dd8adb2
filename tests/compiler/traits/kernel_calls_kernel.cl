// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// CHECK-LABEL: kernel inner
// CHECK: write arg 0 (c) [global_id(0)*4]
__kernel void inner(__global float* c) { c[get_global_id(0)] = 1.0f; }
// CHECK-LABEL: kernel outer
// CHECK: queries: global_id
// CHECK: write arg 1 (d) [global_id(0)*4 + 8] 4 bytes surely
__kernel void outer(int n, __global float* d) { inner(d + 2); }
