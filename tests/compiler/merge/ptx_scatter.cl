// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge-ptx %s | %FileCheck %s
// For GPUs from sm_50 on. The arithmetic is gone: an index is loaded, and one word goes from the result to the buffer.
__kernel void k(__global float* out, __global const float* in, __global const int* where) {
  int i = get_global_id(0);
  out[where[i]] = sqrt(in[i]) * 2.0f + sin(in[i]);
}
// CHECK: .version 5.0
// CHECK-NEXT: .target sm_50, texmode_independent
// CHECK: .entry skmd_merge_k(
// CHECK-NOT: f32
// CHECK-NOT: call
// CHECK: %ctaid.x
// CHECK: %ntid.x
// CHECK: %tid.x
// CHECK: setp.lt.u64
// A load outside of the indices gives zero.
// CHECK: selp.b64 [[PLACE:%rd[0-9]+]]
// CHECK-NEXT: ld.global.b32 {{%r[0-9]+}}, {{\[}}[[PLACE]]]
// A store outside of the buffer is left out.
// CHECK: setp.ge.u64 [[OUTSIDE:%p[0-9]+]]
// CHECK-NEXT: @[[OUTSIDE]] bra
// CHECK: ld.global.b32 [[VALUE:%r[0-9]+]]
// CHECK-NEXT: st.global.b32 {{.*}}, [[VALUE]]
// CHECK-NOT: st.
// CHECK-NOT: f32
// CHECK-NOT: call
