// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Which texel a coordinate in floating point means is a matter of rounding.
__kernel void k(read_only image2d_t in, sampler_t s, __global uint* out) {
  // CHECK: facts: float_decides_address memory_decides_address uses_float
  out[read_imageui(in, s, (float2)(get_global_id(0) * 0.5f, 0.5f)).x] = 1;
}
