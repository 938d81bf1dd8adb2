// SPDX-License-Identifier: Apache-2.0
// Loops with a known number of turns disappear, and arrays that they go through are registers. Not so loops with barriers,
// whose copies would be regions.
// RUN: %skmd-compile --kernel shifts --emit vector-llvm --isa avx2 %s | %FileCheck %s
// RUN: %skmd-compile --kernel sums --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=REGIONS

// CHECK-LABEL: define {{.*}}@skmd_kernel_shifts.limited(
// CHECK-NOT: alloca
// CHECK: phi <8 x float>
// CHECK-NOT: alloca
// CHECK-LABEL: define {{.*}}@skmd_kernel_shifts.joined(
kernel void shifts(global const float* in, global float* out, int rows, int row) {
  const int i = get_global_id(0);
  float line[4];
  for (int k = 0; k < 4; ++k) line[k] = in[k * row + i];
  for (int y = 0; y < rows; ++y) {
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += line[k] * (k + 1);
    out[y * row + i] = sum;
    for (int k = 0; k < 3; ++k) line[k] = line[k + 1];
    line[3] = in[(y + 4) * row + i];
  }
}

// REGIONS: region 1:
// REGIONS-NOT: region 2:
kernel void sums(global float* out, local float* l) {
  const int i = get_local_id(0);
  l[i] = i;
  for (int k = 0; k < 3; ++k) {
    barrier(CLK_LOCAL_MEM_FENCE);
    l[i * 3 + k] += 1;
  }
  out[i] = l[i];
}
