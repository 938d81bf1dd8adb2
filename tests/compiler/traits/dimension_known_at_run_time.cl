// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* c, uint d) {
  // CHECK: queries: global_id
  c[get_global_id(d)] = 1.0f;
  // CHECK: write arg 0 (c) [anywhere] 4 bytes perhaps
}
