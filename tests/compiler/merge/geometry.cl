// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// Every query is answered from the launch's geometry.
__kernel void k(__global ulong* out, uint d, ulong n) {
  out[(get_global_id(d) + get_local_id(d) + get_group_id(d) + get_global_size(d) + get_local_size(d) + get_num_groups(d) +
       get_global_offset(d) + get_work_dim()) % n] = 1;
}
// CHECK: kernel k: merge function, loads from nothing
// CHECK-NOT: get_
