// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// No store and no load leaves its argument, and no division traps.
__kernel void k(__global uint* out, __global const int* where, int d) {
  int i = get_global_id(0);
  out[where[i] / d] = i;
}
// CHECK: @skmd.zeros.1 = internal addrspace(1) constant [64 x i8] zeroinitializer
// CHECK: define void @skmd_merge_k
// CHECK: getelementptr i8, ptr addrspace(1)
// CHECK: [[INSIDE:%.+]] = icmp ult i64
// CHECK-NEXT: select i1 [[INSIDE]], ptr addrspace(1) %{{.+}}, ptr addrspace(1) @skmd.zeros.1
// CHECK: sdiv i32
// CHECK: select i1
// Marked where there are bits for it, else copied.
// CHECK: [[MARKED:%.+]] = icmp {{ult|ugt}} i64
// CHECK-NEXT: br i1 [[MARKED]]
// CHECK: or i64
// CHECK-NEXT: store i64
// CHECK: [[FITS:%.+]] = icmp {{ult|ugt}} i64
// CHECK-NEXT: br i1 [[FITS]]
// CHECK: store i32
