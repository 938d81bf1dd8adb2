// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// A step of which only the launch knows that it is positive: where it is not, the loop counts as endless.
__kernel void k(__global float* c, int n) {
  // CHECK: loop i0: 0 to 0 < (long)(int)local_size(0) ? {{.*}} /u (long)(int)local_size(0) : 0) : -1{{$}}
  for (int i = get_local_id(0); i < n; i += (int)get_local_size(0)) c[i] = 1.0f;
  // CHECK: write arg 0 (c) [(long)(i0*(int)local_size(0) + (int)local_id(0))*4] 4 bytes in i0 if (n > (int)local_id(0)) surely
}
