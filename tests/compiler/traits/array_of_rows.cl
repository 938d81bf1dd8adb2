// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float (*rows)[10]) {
  rows[get_global_id(1)][get_global_id(0)] = 1.0f;
  // CHECK: write arg 0 (rows) [global_id(1)*40 + global_id(0)*4] 4 bytes surely
}
