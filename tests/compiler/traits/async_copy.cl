// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const float* a, __global float* c, __local float* tile, int n) {
  event_t e = async_work_group_copy(tile, a + get_group_id(0) * 64, 64, 0);
  // CHECK: facts:{{.*}} local_memory
  // CHECK: read arg 0 (a) [group_id(0)*256] 4 * (64) bytes surely
  wait_group_events(1, &e);
  e = async_work_group_copy(c, tile, n, 0);
  // CHECK: write arg 1 (c) [0] 4 * ((long)n) bytes surely
  wait_group_events(1, &e);
}
