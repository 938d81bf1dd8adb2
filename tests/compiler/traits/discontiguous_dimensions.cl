// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* out, int width) {
  // CHECK: access: discontiguous
  out[get_global_id(1) * width + get_global_id(0)] = 1.0f;
}
