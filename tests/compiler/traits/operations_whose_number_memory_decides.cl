// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// CHECK-LABEL: kernel list
// CHECK: facts: memory_decides_address data_decides_work{{$}}
// CHECK: loop i0: 0 to any{{$}}
__kernel void list(__global const int* next, __global int* c, int start) {
  int steps = 0;
  for (int at = start; at != -1; at = next[at]) ++steps;
  c[get_global_id(0)] = steps;
}
// CHECK-LABEL: kernel row
// CHECK: facts: {{.*}} data_decides_work{{$}}
__kernel void row(__global const int* starts, __global const float* values, __global float* c) {
  const size_t i = get_global_id(0);
  float sum = 0.0f;
  for (int k = starts[i]; k < starts[i + 1]; ++k) sum += values[k];
  c[i] = sum;
}
// What ends it early is not known, how long it may last is.
// CHECK-LABEL: kernel search
// CHECK: facts: data_decides_work{{$}}
// CHECK: loop i0: 0 to (ulong)(n - 1) at most{{$}}
__kernel void search(__global const int* a, __global int* c, int x, int n) {
  int i = 0;
  while (i < n && a[i] != x) ++i;
  c[get_global_id(0)] = i;
}
// Whether there is a loop at all.
// CHECK-LABEL: kernel masked
// CHECK: facts: {{.*}} data_decides_work{{$}}
__kernel void masked(__global const int* a, __global float* c, int n) {
  if (a[get_global_id(0)] == 0) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum = sum * 3.0f + 1.0f;
  c[get_global_id(0)] = sum;
}
// Floating point knows no better, nor what local memory took from a buffer.
// CHECK-LABEL: kernel escape
// CHECK: facts: uses_float data_decides_work{{$}}
__kernel void escape(__global int* c) {
  float x = (float)get_global_id(0);
  int steps = 0;
  while (x < 4.0f) x = x * x + 0.1f, ++steps;
  c[get_global_id(0)] = steps;
}
// CHECK-LABEL: kernel kept
// CHECK: facts: {{.*}} data_decides_work{{$}}
__kernel void kept(__global const int* a, __global int* c, __local int* tile) {
  tile[0] = a[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (int i = 0; i < tile[0]; ++i) sum ^= i * sum + 1;
  c[get_global_id(0)] = sum;
}
// A condition on memory that no loop is in moves little.
// CHECK-LABEL: kernel only_a_condition
// CHECK: facts: none{{$}}
__kernel void only_a_condition(__global const int* a, __global int* c, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (a[i] > 3) sum += i;
  }
  c[get_global_id(0)] = sum;
}
