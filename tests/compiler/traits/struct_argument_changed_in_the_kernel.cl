// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// The copy is changed where it cannot be followed: its fields are unknown.
typedef struct { int table[4]; } P;
__kernel void k(__global int* c, P p, int at) {
  p.table[at & 3] = 7;
  c[p.table[1]] = 1;
  // CHECK: write arg 0 (c) [(long)?*4] 4 bytes perhaps
}
