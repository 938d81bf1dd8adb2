// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// Bytes of a buffer are the same on all devices, for every type; a result of arithmetic is not.
__kernel void as_they_are(__global uint* out, __global const float* in) {
  uint i = get_global_id(0);
  out[as_uint(in[i]) & 255] = i;
}
// CHECK: kernel as_they_are: merge function, loads from in
__kernel void computed(__global uint* out, __global const float* in) {
  uint i = get_global_id(0);
  out[as_uint(in[i] * 3.0f) & 255] = i;
}
// CHECK: kernel computed: no merge function: floating point decides where it stores
