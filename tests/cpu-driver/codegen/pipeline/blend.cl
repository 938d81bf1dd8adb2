// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --kernel tree --emit asm --isa avx2 %s | %FileCheck %s
// RUN: %skmd-compile --kernel tree --emit asm --isa sse %s | %FileCheck %s
// RUN: %skmd-compile --kernel tree --emit asm --isa avx512 %s | %FileCheck %s --check-prefix=MASKS

// Stores of some items to a group's own memory write back what the others have there, one vector at a time: masked stores
// take 12 cycles on a Zen 4, and there are none without AVX. Code generation must not make them again.
// CHECK-LABEL: skmd_kernel_tree.limited:
// CHECK-NOT: vmaskmovps
// CHECK: blendvps
// CHECK-NOT: vmaskmovps
// CHECK: .Lfunc_end
// MASKS-LABEL: skmd_kernel_tree.limited:
// MASKS: vmovups {{.*}}{%k{{[0-9]}}}
kernel void tree(global float* numbers, local float* tile) {
  const int l = get_local_id(0);
  tile[l] = numbers[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (l < half_size) tile[l] += tile[l + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  numbers[get_global_id(0)] = tile[l];
}
