// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --yields --yielding traps %s | %FileCheck %s
// Where work-items leave a checked kernel, and what is kept there.

// Accesses in one piece of code are tested together, before the first of them.
// CHECK: kernel together: 1 place where items may leave; state: 4 bytes an item
// CHECK-NEXT: before line [[@LINE+3]], live: nothing
__kernel void together(__global float* out, __global const float* in) {
  uint i = get_global_id(0);
  out[i] = in[i] * 2.0f + in[i + 1];
}

// Where the iterations are known before a loop, so is all that it accesses.
// CHECK: kernel hoists: 2 places where items may leave
// CHECK-DAG: before line [[@LINE+5]], live: nothing
// CHECK-DAG: before line [[@LINE+5]], live: {{.*}}(float)
__kernel void hoists(__global float* c, __global const float* a, __global const float* b, uint n) {
  uint i = get_global_id(0), j = get_global_id(1);
  float s = 0;
  for (uint k = 0; k < n; ++k) s += a[j * n + k] * b[k * n + i];
  c[j * n + i] = s;
}

// What a loop reads from memory is not known before.
// CHECK: kernel gathers: 3 places where items may leave
// CHECK-DAG: live: {{.*}}(i32), {{.*}}(float)
__kernel void gathers(__global float* out, __global const float* x, __global const int* at, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += x[at[k]];
  if (sum > 1) out[0] = sum;
}

// Divisions, but none by what is never zero.
// CHECK: kernel divides: 2 places where items may leave
__kernel void divides(__global int* out, __global const int* in, __global const int* by) {
  int i = get_global_id(0);
  out[i] = in[i] / by[i] + in[i] / (by[i] | 1) + in[i] % (int)get_local_size(0);
}

// A division in a loop whose iterations depend on the loop around it: it stays in that one.
// CHECK: kernel triangle: {{[0-9]+ places?}} where items may leave
__kernel void triangle(__global int* out, int n, int d) {
  int sum = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) sum += i * 7 % d;
  out[get_global_id(0)] = sum;
}

// What is inside of a table in any case is not tested.
// CHECK: kernel tables: 1 place where items may leave
__constant int table[4] = {1, 2, 3, 4};
__kernel void tables(__global int* out) {
  int i = get_global_id(0);
  out[i] = table[i & 3];
}

// CHECK: kernel barriers: no yield points (divergent_barriers)
__kernel void barriers(__global int* out) {
  __local int x[64];
  x[get_local_id(0)] = 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = x[63 - get_local_id(0)];
}
