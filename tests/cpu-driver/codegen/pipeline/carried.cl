// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --emit-llvm %s > %t.ll
// RUN: %skmd-opt --passes=skmd-regions %t.ll | %FileCheck %s

// A region does not store a group's value again if it only hands it on: vectors of items would choose between the value
// and itself, by their masks.
// CHECK: ; carried: 0 bytes per item, 2 group values
// CHECK-LABEL: define internal void @carried.item.0(
// CHECK-DAG: store i32 %{{.*}}, ptr %out
// CHECK-DAG: store i32 0, ptr %out
// CHECK-LABEL: define internal void @carried.item.1(
// CHECK-NOT: store i32 {{.*}}, ptr %out
// CHECK-LABEL: define internal void @carried.item.2(
// CHECK-NOT: store i32 {{.*}}, ptr %out
// CHECK: store i32 %inc{{.*}}, ptr %out
// CHECK-NOT: store i32 {{.*}}, ptr %out
// CHECK: {{^}}}
kernel void carried(global const int* in, global int* out, local int* l, int n) {
  const int x = get_local_id(0);
  const int factor = in[0];
  for (int i = 0; i < n; ++i) {
    l[x] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[x] += l[x ^ 1] * factor;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
