// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --kernel add --emit vector-llvm --width 1 %s | %FileCheck %s
// RUN: %skmd-compile --kernel add --emit llvm %s | %FileCheck %s --check-prefix=ITEM
// RUN: %skmd-compile --kernel add --emit asm --isa sse %s | %FileCheck %s --check-prefix=ASM
// RUN: %skmd-compile --kernel add --emit remarks %s | %FileCheck %s --check-prefix=REMARKS
// RUN: not %skmd-compile --kernel sub --emit asm %s 2>&1 | %FileCheck %s --check-prefix=UNKNOWN
// RUN: not %skmd-compile --kernel-code --width 3 %s 2>&1 | %FileCheck %s --check-prefix=WIDTH

// No work-item function, no call at all: one function over groups, with its facts.
// CHECK: @skmd_facts_add = constant
// CHECK-LABEL: define void @skmd_kernel_add(
// CHECK-NOT: call void
// CHECK: fadd

// ITEM-LABEL: define {{.*}}void @skmd_item_add(
// ITEM: %x
// ASM: skmd_kernel_add:
// REMARKS: add: has code
// UNKNOWN: there is no kernel sub
// WIDTH: --width is 1, 2, 4, 8, 16 or 32
kernel void add(global const float* a, global const float* b, global float* c) {
  const int i = get_global_id(0);
  c[i] = a[i] + b[i];
}
