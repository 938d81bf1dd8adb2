// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
__kernel void k(__global float* c) {
  uint i = get_global_id(0);
  c[((i >> 3) << 4) + (i & 5) + (i ^ 9)] = 1.0f;
  // CHECK: write arg 0 (c) {{.*}}(int)global_id(0) & 5{{.*}} surely
}
