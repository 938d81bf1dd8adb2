// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
// What the items of a row store side by side is marked at once, where indices do not wrap.
__kernel void row(__global uint* out, __global const int* where, int pitch) {
  int x = get_global_id(0), y = get_global_id(1);
  out[where[y] * pitch + x] = 1;
}
// Every second element is no row.
__kernel void gaps(__global uint* out, __global const int* where) {
  size_t x = get_global_id(0);
  out[where[get_global_id(1)] + 2 * x] = 1;
}
// Nor is what only some items store.
__kernel void some(__global uint* out, __global const int* where) {
  size_t x = get_global_id(0);
  if (where[x]) out[where[get_global_id(1)] + x] = 1;
}
// Rows as long as what the index is divided by.
__kernel void divided(__global uint* out, __global const int* where) {
  uint i = get_global_id(0);
  out[where[i / 64] * 64 + i % 64] = 1;
}
// CHECK: define void @skmd_merge_row
// CHECK: br i1 %{{.+}}, label %row
// CHECK: call i64 @llvm.umin.i64
// CHECK: define void @skmd_merge_gaps
// CHECK-NOT: label %row
// CHECK: define void @skmd_merge_some
// CHECK-NOT: label %row
// CHECK: define void @skmd_merge_divided
// CHECK: strip:
// CHECK: br i1 %{{.+}}, label %row
