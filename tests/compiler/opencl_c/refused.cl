// SPDX-License-Identifier: Apache-2.0
// RUN: not %skmd-compile --opencl-c %s 2>&1 | %FileCheck %s
// What has no text is told, and the other kernels have theirs.

// CHECK: kernel copies: it calls {{.*}}async_work_group_copy{{.*}}, which has no OpenCL C text
// CHECK: kernel void other(
kernel void copies(global uint* out) {
  local uint tile[64];
  event_t done = async_work_group_copy(tile, out, 64, 0);
  wait_group_events(1, &done);
  out[get_global_id(0)] = tile[63 - get_local_id(0)];
}

kernel void other(global uint* out) { out[0] = 1; }
