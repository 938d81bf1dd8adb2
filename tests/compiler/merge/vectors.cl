// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
__kernel void four(__global uint4* out, __global const uint* where) {
  uint i = get_global_id(0);
  out[where[i]] = (uint4)(i);
}
// CHECK: kernel four: merge function, loads from where
// The fourth element is padding.
__kernel void three(__global uint3* out, __global const uint* where) {
  uint i = get_global_id(0);
  out[where[i]] = (uint3)(i);
}
// CHECK: kernel three: merge function, loads from where
__kernel void packed(__global uint* out, __global const uint* where) {
  uint i = get_global_id(0);
  vstore3((uint3)(i), where[i], out);
}
// CHECK: kernel packed: merge function, loads from where
// One bit for all of it where its place is a multiple of its size.
// CHECK: @skmd_units_four = {{.*}}[2 x i8] c"\10\00"
// CHECK: @skmd_units_three = {{.*}}[2 x i8] c"\04\00"
// CHECK: @skmd_units_packed = {{.*}}[2 x i8] c"\04\00"
// CHECK: define void @skmd_merge_four
// CHECK-COUNT-2: store i64 %{{.+}}, align 1
// CHECK: define void @skmd_merge_three
// CHECK-NOT: store i64 %{{.+}}, align 1
// CHECK: icmp eq i64 %{{.+}}, 3
// CHECK: define void @skmd_merge_packed
// CHECK-NOT: store i64 %{{.+}}, align 1
// CHECK: icmp eq i64 %{{.+}}, 3
