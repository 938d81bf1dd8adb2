// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__constant float* weights, __global float* c) {
  c[get_global_id(0)] = weights[get_local_id(0)];
  // CHECK: read arg 0 (weights) [local_id(0)*4] 4 bytes surely
}
