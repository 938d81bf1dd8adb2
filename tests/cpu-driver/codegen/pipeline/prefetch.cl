// SPDX-License-Identifier: Apache-2.0
// What loads will stride to, from page to page in a loop of the item's own, is prefetched eight turns ahead.
// RUN: %skmd-compile --kernel unknown --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --kernel pages --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --kernel lines --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel once --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel apart --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel pages --emit vector-llvm --isa avx512 %s | %FileCheck %s
// RUN: %skmd-compile --kernel unknown --emit asm --isa avx512 %s | %FileCheck %s --check-prefix=ASM

// YES: what loads stride to is prefetched
// NO: has code
// NO-NOT: prefetched

// ASM: prefetcht0
kernel void unknown(global float* a, int stride, int n) {
  const int i = get_global_id(0);
  for (int k = 0; k < n; ++k) a[i + k * stride] = sqrt(a[i + k * stride]);
}

// CHECK-LABEL: define {{.*}}@skmd_kernel_pages.limited(
// CHECK: [[AHEAD:%.*]] = getelementptr i8, ptr addrspace(1) {{%.*}}, i64 32768
// CHECK-NEXT: call void @llvm.prefetch.p1(ptr addrspace(1) [[AHEAD]], i32 0, i32 3, i32 1)
// CHECK-NEXT: load <16 x float>
kernel void pages(global float* a, int n) {
  const int i = get_global_id(0);
  for (int k = 0; k < n; ++k) a[i + k * 1024] = sqrt(a[i + k * 1024]);
}

// Processors see that by themselves.
kernel void lines(global const float* a, global float* b, int n) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[i + k * 16];
  b[i] = sum;
}
kernel void once(global const float* a, global float* b, int row) { b[get_global_id(0)] = a[get_global_id(0) + row]; }

// Lanes that are gathered are on pages of their own already.
kernel void apart(global const float* a, global float* b, int stride, int n) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[i * 3 + k * stride];
  b[i] = sum;
}
