// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
typedef struct { int a; float b; double c; } S;
__kernel void k(__global S* s) {
  s[get_global_id(0)].b = 1.0f;
  // CHECK: write arg 0 (s) [global_id(0)*16 + 4] 4 bytes surely
}
