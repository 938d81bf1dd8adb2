// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --yields %s | %FileCheck %s
// Kernels that cannot be stopped inside of groups, and the reason.

// CHECK: kernel brief: no yield points (no_form_here): it has no long loop
__kernel void brief(__global uint* out) {
  uint sum = 0;
  for (uint i = 0; i < 10; ++i) sum += out[i];
  out[get_global_id(0)] = sum;
}

// CHECK: kernel parts: no yield points (divergent_barriers): it has barriers, and items leave its long loops at different times
__kernel void parts(__global uint* out, uint n) {
  __local uint tile[64];
  tile[get_local_id(0)] = out[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = tile[63 - get_local_id(0)];
  while (sum % 1000 != n) sum = sum * 1664525 + 1013904223;
  out[get_global_id(0)] = sum;
}

// CHECK: kernel copies: no yield points (no_form_here): it calls async_work_group_copy
__kernel void copies(__global uint* out, uint n) {
  __local uint tile[64];
  for (uint i = 0; i < n; ++i) {
    event_t done = async_work_group_copy(tile, out + 64 * i, 64, 0);
    wait_group_events(1, &done);
    out[get_global_id(0)] += tile[get_local_id(0)];
  }
}

typedef struct Node {
  __global struct Node* next;
} Node;
// CHECK: kernel chain: no yield points (pointer_in_memory): it keeps addresses in memory or makes numbers of them
__kernel void chain(__global Node* at, __global uint* out) {
  uint n = 0;
  while (at->next != 0) {
    at = at->next;
    ++n;
  }
  out[get_global_id(0)] = n;
}

// CHECK: kernel large: no yield points (state_too_large): what is live in line {{[0-9]+}} cannot be kept
__kernel void large(__global uint* out, uint n) {
  uint seen[2000];
  for (uint i = 0; i < 2000; ++i) seen[i] = out[i];
  for (uint i = 0; i < n; ++i) seen[out[i] % 2000] += seen[i % 2000];
  out[get_global_id(0)] = seen[n % 2000];
}

// CHECK: kernel locks: no yield points (groups_wait): its work-items may wait for locks
__kernel void locks(__global int* lock, __global uint* out, uint n) {
  while (atomic_cmpxchg(lock, 0, 1) != 0);
  for (uint i = 0; i < n; ++i) out[i] += get_global_id(0);
  atomic_xchg(lock, 0);
}
