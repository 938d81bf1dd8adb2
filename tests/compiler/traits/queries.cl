// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
static size_t total(void) { return get_num_groups(0) * get_local_size(1); }
__kernel void k(__global size_t* c) {
  // CHECK: queries: num_groups global_offset local_size work_dim
  c[total()] = get_global_offset(2) + get_work_dim();
  // CHECK: write arg 0 (c) [num_groups(0)*local_size(1)*8] 8 bytes surely
}
