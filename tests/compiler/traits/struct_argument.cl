// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Fields of a struct passed by value are read at their byte inside the argument.
typedef struct { float scale; int shift; ulong stride; } P;
__kernel void k(__global float* c, P p) {
  c[get_global_id(0) * p.stride + p.shift] = p.scale;
  // CHECK: write arg 0 (c) [global_id(0)*p@8*4 + (long)p@4*4] 4 bytes surely
}
