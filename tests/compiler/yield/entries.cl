// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --kernel sums --emit llvm --yielding every %s | %FileCheck %s
// A stopped group goes on inside of loops: what was kept is taken up where the point is, and not carried through the
// loops around it.

// CHECK-LABEL: define {{.*}}@skmd_item_sums(
// CHECK-NOT: load float
// CHECK: {{^}}inwards:
// CHECK-COUNT-2: load float, ptr addrspace(1)
// CHECK: {{^}}for.cond.i.split:
__kernel void sums(__global const float* in, __global float* out, uint rows, uint columns) {
  float all = 0;
  for (uint row = 0; row < rows; ++row) {
    float sum = 0;
    for (uint column = 0; column < columns; ++column) sum += in[row * columns + column + get_global_id(0)];
    all += sum * sum;
  }
  out[get_global_id(0)] = all;
}
