// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global const float* a, __local float* tile, uint n, uint step) {
  // CHECK: loop i0: 0 to umax((ulong)n, 1) - 1 at most
  event_t e = async_work_group_strided_copy(tile, a, n, step, 0);
  // CHECK: read arg 0 (a) [i0*(ulong)step*4] 4 bytes in i0 perhaps
  wait_group_events(1, &e);
}
