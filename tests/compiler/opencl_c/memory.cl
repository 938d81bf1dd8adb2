// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --opencl-c %s >%t && %FileCheck %s <%t && %skmd-compile --describe %t >/dev/null
// Accesses have the program's type, or one that may alias any other; variables and tables.

// CHECK-LABEL: kernel void plain(const global uchar* p_in, global uchar* p_out)
// CHECK: ((global float*)p_out)[(long)[[ID:v[0-9]+]]] = ((global float*)((global uchar*)p_in))[(long)[[ID]]];
kernel void plain(global const float* in, global float* out) {
  const size_t i = get_global_id(0);
  out[i] = in[i];
}

// CHECK-LABEL: kernel void unaligned(
// CHECK-DAG: typedef uint skmd_uint_any_at_1 __attribute__((may_alias, aligned(1)));
// CHECK: *(global skmd_uint_any_at_1*)p_bytes
kernel void unaligned(global uchar* bytes, global uint* out) { out[0] = as_uint(vload4(0, bytes)); }

// Three elements, and no fourth.
// CHECK-LABEL: kernel void threes(
// CHECK: = (uchar3)({{.*}}[0], {{.*}}[1], {{.*}}[2]);
// CHECK-COUNT-3: ((global uchar*)p_bytes)[{{[0-2]}}] = {{v[0-9]+}}.s{{[0-2]}};
// CHECK-NOT: [3]
// CHECK: return
kernel void threes(global uchar* bytes) { vstore3(vload3(1, bytes).zyx, 0, bytes); }

// CHECK: constant uint skmd9_variables_g_table[4] __attribute__((aligned(4))) = {1u, 2u, 3u, 4294967291u};
// CHECK-LABEL: kernel void variables(
// CHECK: uint a_own_i[5] __attribute__((aligned(4)));
// CHECK: local float skmd9_variables_g_variables_shared[16] __attribute__((aligned(4)));
// CHECK: barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
constant int table[4] = {1, 2, 3, -5};
kernel void variables(global float* out, uint n) {
  local float shared[16];
  uint own[5] = {n, 7, 8, 9, n};
  for (uint i = 0; i < n; ++i) own[(i + n) % 5] += own[i % 5];
  shared[get_local_id(0)] = own[n % 5] + table[n & 3];
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[get_local_id(0)] = shared[15 - get_local_id(0)];
}

// CHECK: struct __attribute__((aligned(8))) skmd8_by_value_p_r { ulong content[2]; };
// CHECK-LABEL: kernel void by_value(struct skmd8_by_value_p_r p_r, global uchar* p_out)
// CHECK: ((private uchar*)&p_r)
struct Record {
  ulong a;
  int b;
};
kernel void by_value(struct Record r, global ulong* out) { out[0] = r.a + r.b; }

// CHECK-LABEL: kernel void kept(
// CHECK: volatile global uint*
kernel void kept(global volatile uint* flag, global uint* out) {
  while (flag[0] == 0);
  out[0] = 1;
}

// The null pointer of local memory is the generic one, cast.
// CHECK-LABEL: kernel void nothing(
// CHECK: (local uchar*)0)
kernel void nothing(global int* out, local int* some) {
  local int* one = out[0] > 3 ? some : (local int*)0;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[1] = one == 0 ? 7 : *one;
}
