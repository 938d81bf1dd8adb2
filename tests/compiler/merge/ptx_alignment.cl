// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge-ptx %s | %FileCheck %s
// GPUs take aligned addresses only: what is not surely aligned goes by the byte.
__kernel void packed(__global uchar* out, __global const uint* where) {
  vstore2((ushort2)(1, 2), 0, (__global ushort*)(out + where[get_global_id(0)]));
}
// CHECK: .entry skmd_merge_packed(
// CHECK-NOT: ld.global.b16
// CHECK: ld.global.b8
// CHECK: st.global.b8
// CHECK: ld.global.b8
// CHECK: st.global.b8
// CHECK-NOT: st.global.b16
__kernel void rows(__global ulong4* out, __global const uint* where) {
  out[where[get_global_id(0)]] = (ulong4)(1, 2, 3, 4);
}
// CHECK: .entry skmd_merge_rows(
// CHECK-NOT: st.global.b8
// CHECK: st.global.{{(v2.)?}}b64
// CHECK-NOT: st.global.b8
__kernel void index(__global uint* out, __global const uchar* bytes) {
  out[*(__global const uint*)(bytes + get_global_id(0))] = 1;
}
// CHECK: .entry skmd_merge_index(
// CHECK: ld.global.b8
// CHECK: st.global.b32
