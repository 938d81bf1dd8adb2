// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge-ptx %s | %FileCheck %s
// Two parameters for a buffer, one for a value (also one that decides nothing), none for local memory, and the record.
typedef struct { int a; char b; long c; } rec;
__kernel void k(__global ulong* out, char c, short s, uint3 v, rec r, float f, __local int* t, __constant int* table) {
  t[get_local_id(0)] = 1;
  out[(get_global_id(0) ^ (ulong)(c + s + v.y + r.b + r.c + table[r.a])) & 1023] = (ulong)f;
}
// CHECK: .entry skmd_merge_k(
// CHECK-NEXT: .param .u64 .ptr .global .align 1 skmd_merge_k_param_0,
// CHECK-NEXT: .param .u64 .ptr .global .align 1 skmd_merge_k_param_1,
// CHECK-NEXT: .param .align 16 .b8 skmd_merge_k_param_2[1],
// CHECK-NEXT: .param .align 16 .b8 skmd_merge_k_param_3[2],
// CHECK-NEXT: .param .align 16 .b8 skmd_merge_k_param_4[16],
// CHECK-NEXT: .param .align 16 .b8 skmd_merge_k_param_5[16],
// CHECK-NEXT: .param .align 16 .b8 skmd_merge_k_param_6[4],
// CHECK-NEXT: .param .u64 .ptr .global .align 1 skmd_merge_k_param_7,
// CHECK-NEXT: .param .u64 .ptr .global .align 1 skmd_merge_k_param_8,
// CHECK-NEXT: .param .align 16 .b8 skmd_merge_k_param_9[248]
// CHECK-NEXT: )
// CHECK-NOT: f32
// CHECK: ld.global.b32
// CHECK: ld.global.b64 [[VALUE:%rd[0-9]+]]
// CHECK-NEXT: st.global.b64 {{.*}}, [[VALUE]]
// CHECK-NOT: st.global
