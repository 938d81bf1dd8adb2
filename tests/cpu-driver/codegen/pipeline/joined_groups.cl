// SPDX-License-Identifier: Apache-2.0
// Groups are taken together where no item can tell: not where it asks, shares or counts.
// RUN: %skmd-compile --kernel plain --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --kernel sizes --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --kernel other_dimensions --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --kernel local_id --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel group_id --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel local_size --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel groups --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel offset --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel any_dimension --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel local_argument --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel local_variable --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel with_barrier --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel counted --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel waits --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel demanded --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel plain --emit vector-llvm --isa avx2 %s | %FileCheck %s

// YES: groups of one row are joined
// NO: has code
// NO-NOT: groups of one row are joined

// CHECK: define {{.*}}@skmd_kernel_plain.joined(
// CHECK: call void @skmd_kernel_plain.limited(
// CHECK: define {{.*}}@skmd_kernel_plain(
// CHECK: call void @skmd_kernel_plain.joined(
// CHECK: call void @skmd_kernel_plain.limited(
// CHECK: call void @skmd_kernel_plain.general(
kernel void plain(global int* out) { out[get_global_id(0)] += 1; }
kernel void sizes(global int* out) { out[get_global_id(0)] = get_global_size(0) + get_work_dim(); }
kernel void other_dimensions(global int* out) {
  out[get_global_id(0)] = get_group_id(1) + get_local_size(2) + get_global_offset(1);
}

kernel void local_id(global int* out) { out[get_global_id(0)] = get_local_id(0); }
kernel void group_id(global int* out) { out[get_global_id(0)] = get_group_id(0); }
kernel void local_size(global int* out) { out[get_global_id(0)] = get_local_size(0); }
kernel void groups(global int* out) { out[get_global_id(0)] = get_num_groups(0); }
kernel void offset(global int* out) { out[get_global_id(0)] = get_global_offset(0); }
kernel void any_dimension(global int* out, uint d) { out[get_global_id(0)] = get_local_id(d); }
kernel void local_argument(global int* out, local int* l) {
  l[0] = get_global_id(0);
  out[get_global_id(0)] = l[0];
}
kernel void local_variable(global int* out) {
  local int l;
  l = get_global_id(0);
  out[get_global_id(0)] = l;
}
kernel void with_barrier(global int* out) {
  out[get_global_id(0)] += 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] += 2;
}
kernel void counted(global int* out) { out[get_global_id(0)] = atomic_inc(out); }
kernel void waits(global volatile int* flags) {
  const int i = get_global_id(0);
  while (i > 0 && flags[i - 1] == 0) {
  }
  flags[i] = 1;
}
kernel __attribute__((reqd_work_group_size(4, 1, 1))) void demanded(global int* out) { out[get_global_id(0)] += 1; }
