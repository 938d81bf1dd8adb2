// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s -cl-std=CL3.0 | %FileCheck %s
__kernel void k(__global float* c) {
  // CHECK: queries: {{.*}}global_linear_id
  c[get_global_linear_id()] = 1.0f;
  // CHECK: write arg 0 (c) [{{.*}}global_id(2) - global_offset(2){{.*}}*global_size(1){{.*}}] 4 bytes surely
}
