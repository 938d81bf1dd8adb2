// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --kernel counted --emit llvm --yielding long %s | %FileCheck %s
// RUN: %skmd-compile --kernel ended --emit llvm --yielding long %s | %FileCheck %s --check-prefix=ENDED
// RUN: %skmd-compile --kernel meets --emit llvm --yielding long %s | %FileCheck %s --check-prefix=MEETS
// RUN: %skmd-compile --rewrite %s >%t.cl && %skmd-compile --yields %t.cl | %FileCheck %s --check-prefix=RECORD
// Loops in strips. One that counts towards a bound has a nearer one in each strip, and still one way out: compilers unroll
// no loop with two. Others count their strips' iterations.

// CHECK-LABEL: define {{.*}}@skmd_item_counted(
// CHECK: %strip.bound = select
// CHECK-NOT: %left
// CHECK: for.body
// CHECK: fmuladd
// CHECK-NOT: %left
__kernel void counted(__global float* out, __global const float* in, uint n) {
  float sum = get_global_id(0);
  for (uint i = 0; i < n + get_global_id(0) % 2; ++i) sum = sum * in[i] + in[i + 1];
  out[get_global_id(0)] = sum;
}

// ENDED-LABEL: define {{.*}}@skmd_item_ended(
// ENDED-NOT: strip.bound
// ENDED: %left
__kernel void ended(__global float* out, __global const float* in, uint n) {
  float sum = get_global_id(0);
  for (uint i = 0; i < n; ++i) {
    if (sum > 1000.0f) break;
    sum = sum * in[i] + in[i + 1];
  }
  out[get_global_id(0)] = sum;
}

// A bound of 64 bits may lie behind what the counter can hold, and the counter never equal one of a strip.
// MEETS-LABEL: define {{.*}}@skmd_item_meets(
// MEETS-NOT: strip.bound
// MEETS: %left
__kernel void meets(__global float* out, __global const float* in, ulong n) {
  float sum = get_global_id(0);
  for (uint i = 7; i != n; ++i) sum = sum * in[i] + in[i + 1];
  out[get_global_id(0)] = sum;
}

// What follows from the launch's record, which tells the first group, is not kept.
// RECORD: kernel rows: 1 yield point
// RECORD-NEXT: line {{[0-9]+}}: after {{[0-9]+}} iterations, live: i.{{[a-z.0-9]+}} (i32, once), sum.{{[a-z.0-9]+}} (float){{$}}
__kernel void rows(__global float* out, __global const float* in, uint n) {
  float sum = 0;
  const uint row = get_group_id(0) * 16 + get_local_id(0);
  for (uint i = 0; i < n; ++i) sum += in[row * n + i];
  out[row] = sum;
}
