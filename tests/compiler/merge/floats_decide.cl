// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
__kernel void address(__global uint* out, __global const float* in) {
  uint i = get_global_id(0);
  out[(uint)in[i]] = i;
}
// CHECK: kernel address: no merge function: floating point decides where it stores
__kernel void control(__global uint* out, __global const float* in) {
  uint i = get_global_id(0);
  if (in[i] > 0.5f) out[i * 3] = i;
}
// CHECK: kernel control: no merge function: floating point decides where it stores
__kernel void value(__global float* out, __global const float* in) {
  uint i = get_global_id(0);
  out[i * 3] = in[i] > 0.5f ? in[i] : 0.0f;
}
// CHECK: kernel value: merge function, loads from nothing
