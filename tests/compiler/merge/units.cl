// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// The unit of a buffer divides the places and sizes of all stores to it; 0 where nothing is stored.
__kernel void widths(__global uint* out, __global const uint* where) {
  uint i = get_global_id(0);
  out[where[i]] = i;
  *((__global ulong*)(out + where[i] * 2)) = i;
}
__kernel void packed(__global uchar* out, __global const uint* where) {
  *(__global uint*)(out + where[get_global_id(0)] * 6) = 1;
}
__kernel void odd_place(__global uchar* out, __global const uint* where) {
  *(__global uint*)(out + where[get_global_id(0)]) = 1;
}
__kernel void moving(__global ushort* out, __global const uint* where, int n) {
  __global ushort* p = out + where[get_global_id(0)] * 4;
  for (int i = 0; i < n; ++i, p += 6) *(__global ushort4*)p = (ushort4)(i);
}
typedef struct { uint a, b, c; } Three;
__kernel void structure(__global Three* out, __global const uint* where) {
  Three three = {1, 2, 3};
  out[where[get_global_id(0)]] = three;
}
// CHECK: @skmd_units_widths = {{.*}}[2 x i8] c"\04\00"
// CHECK: @skmd_units_packed = {{.*}}[2 x i8] c"\02\00"
// CHECK: @skmd_units_odd_place = {{.*}}[2 x i8] c"\01\00"
// CHECK: @skmd_units_moving = {{.*}}[3 x i8] c"\04\00\00"
// CHECK: @skmd_units_structure = {{.*}}[2 x i8] c"\04\00"
