// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Each item walks through the whole buffer.
__kernel void k(__global float* out, int n) {
  // CHECK: access: discontiguous
  for (int k = 0; k < n; ++k) out[get_global_id(0) + k * 4096] = 1.0f;
}
