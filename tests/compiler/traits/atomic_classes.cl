// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// A pointer to volatile is what atomics take: it does not mean waiting. Local ones are not seen from outside, used
// or not; exchanges are of no class.
// CHECK: facts: barrier local_memory global_atomics
// CHECK-NOT: spinning
__kernel void k(volatile __global uint* bins, __global uint* last, __global const uint* in) {
  __local uint own[16];
  uint at = atomic_inc(&own[in[get_global_id(0)] % 16]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[at % 16], own[at % 16]);
  // CHECK: atomic add arg 0 (bins) [{{.*}}] 4 bytes
  atomic_xchg(last, 3u);
  // CHECK: atomic other arg 1 (last) [0] 4 bytes surely
}
