// SPDX-License-Identifier: Apache-2.0
// What is left of a checked kernel: a comparison, a call that tells, and no line table.
// RUN: %skmd-compile --kernel add --check --emit llvm %s | %FileCheck %s --check-prefix=ITEM
// RUN: %skmd-compile --kernel add --check --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=CHECKED
// RUN: %skmd-compile --kernel add --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=PLAIN

// ITEM-NOT: !DILocation
// ITEM: declare void @skmd.check.failed(ptr addrspace(2), i64, i64, i64, i64, i64, i64)
// ITEM-NOT: !DILocation
// CHECKED-NOT: !DILocation
// CHECKED: @skmd_sites_add = constant {{.*}}line [[@LINE+7]]\09reads 4 bytes\09x\09\09out_of_bounds\0Aline [[@LINE+8]]\09writes 4 bytes\09y\09\09out_of_bounds\0A\00"
// CHECKED: <8 x float>
// CHECKED-NOT: !DILocation
// PLAIN-NOT: skmd.check
// PLAIN-NOT: skmd_sites
kernel void add(global const float* x, global float* y) {
  const size_t i = get_global_id(0);
  const float value = x[i];
  y[i] = value + 1;
}
