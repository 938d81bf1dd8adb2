// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --opencl-c %s >%t && %FileCheck %s <%t && %skmd-compile --describe %t >/dev/null

// CHECK-LABEL: kernel void words(
// CHECK: = atomic_add((volatile global uint*)p_p, 3u);
// CHECK: = atomic_add((volatile local uint*)p_l, 1u);
// CHECK: [[OLD:v[0-9_]+]] = atomic_cmpxchg((volatile global uint*){{.*}}, 4u, 5u);
// CHECK: atomic_max((volatile local int*)p_l, (-3))
// CHECK: = atomic_xchg((volatile global float*)p_f, 0x1p1f);
// CHECK: mem_fence(
kernel void words(global uint* p, local int* l, global float* f) {
  p[1] = atomic_add(p, 3u);
  p[2] = atomic_inc(l);
  p[3] = atomic_cmpxchg(p + 7, 4u, 5u);
  p[4] = atomic_max(l, -3);
  f[1] = atomic_xchg(f, 2.0f);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
}

// CHECK: #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
// CHECK: = atom_add((volatile global ulong*)p_p, 3ul);
kernel void longs(global ulong* p) { p[1] = atom_add(p, 3ul); }
