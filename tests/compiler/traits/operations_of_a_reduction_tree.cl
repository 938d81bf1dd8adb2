// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Each pass lets half of the items through that the one before did: all together are twice the first pass.
// CHECK-LABEL: kernel tree
// CHECK: loop i0: {{.*}}, about log2(
// The test of the id, the barrier, the next half (signed: a division's worth) and the loop's own test, in each pass.
// CHECK: operations: 6 in i0 if ((int)local_size(0) > 1){{$}}
// Twice two loads, a sum, one of places, and a store.
// CHECK-NEXT: operations: 10 if ((int)local_size(0) > 1) and ((int)local_id(0) < (int)local_size(0) / 2){{$}}
// CHECK-NOT: operations:
__kernel void tree(__global float* c, __local float* tile) {
  const int l = get_local_id(0);
  tile[l] = c[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = (int)get_local_size(0) / 2; s > 0; s >>= 1) {
    if (l < s) tile[l] += tile[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(0)] = tile[0];
}
// A quarter each time: 4/3 of the first pass, 7. Another condition beside it, and a wider id.
// CHECK-LABEL: kernel quarters
// CHECK: operations: {{[0-9]+}} in i0
// CHECK: operations: 9 if {{.*}} and (local_id(0) <u (ulong)(int)local_size(0)){{$}}
__kernel void quarters(__global const uint* a, __global uint* c, __local uint* tile) {
  const size_t l = get_local_id(0);
  for (uint s = get_local_size(0); s > 0; s /= 4) {
    if (l < s && a[l] != 5) tile[l] += tile[l + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(0)] = tile[0];
}
// The other items, and growing counters, pass more often than that: they count as in every pass.
// CHECK-LABEL: kernel others
// CHECK: loop i0:
// CHECK: operations: {{[0-9]+}} in i0{{.*}}
// CHECK-NOT: local_id(0)
__kernel void others(__global uint* c, __local uint* tile, uint n) {
  const uint l = get_local_id(0);
  for (uint s = n; s > 0; s /= 2) {
    if (l >= s) tile[l] += s;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint s = 1; s < n; s *= 2) {
    if (l < s) tile[l] += s * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[get_global_id(0)] = tile[0];
}
