// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --merge %s | %FileCheck %s
__kernel void four(__global uint4* out, __global const uint* where) {
  uint i = get_global_id(0);
  out[where[i]] = (uint4)(i);
}
// CHECK: kernel four: merge function, loads from where
// The fourth element belongs to nobody.
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
// CHECK: define void @skmd_merge_four
// CHECK-COUNT-2: store i64
// CHECK: define void @skmd_merge_three
// CHECK-NOT: store i64
// CHECK: icmp eq i64 %{{.+}}, 3
// CHECK: define void @skmd_merge_packed
// CHECK-NOT: store i64
// CHECK: icmp eq i64 %{{.+}}, 3
