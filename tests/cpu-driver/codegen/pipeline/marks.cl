// SPDX-License-Identifier: Apache-2.0
// What one item reads, looks at and stores to, at places that memory tells, is stored to by a mask.
// RUN: %skmd-compile --kernel search --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --kernel nearest --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --kernel search --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel elsewhere --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel counted --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel latest --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel search --emit vector-llvm --isa avx512 %s | %FileCheck %s

// YES: item by item: items go through a loop at their own pace
// YES: marks are set without a branch
// NO: item by item: items go through a loop at their own pace
// NO-NOT: marks are set

// CHECK-LABEL: define {{.*}}@skmd_kernel_search.limited(
// CHECK: [[LOOK:%[0-9a-z.]+]] = icmp slt i32 {{%[0-9]+}}, 0
// CHECK: [[MASK:%[0-9]+]] = insertelement <4 x i1> {{.*}}, i1 [[LOOK]], i64 0
// CHECK: call void @llvm.masked.store.v4i32.p1({{.*}}, <4 x i1> [[MASK]])
// CHECK: call void @llvm.masked.store.v4i32.p1({{.*}}, <4 x i1> [[MASK]])
kernel void search(global const int* first, global const int* edges, global int* marks, global int* found, int mark) {
  const int node = get_global_id(0);
  for (int k = first[node]; k < first[node + 1]; ++k) {
    if (marks[edges[k]] < 0) {
      marks[edges[k]] = mark;
      *found = 1;
    }
  }
}

// The branch may go either way, and the mark may be a number of its own.
kernel void nearest(global const int* first, global const int* edges, global double* marks, double far) {
  const int node = get_global_id(0);
  for (int k = first[node]; k < first[node + 1]; ++k) {
    const int n = edges[k];
    if (marks[n] <= far) continue;
    marks[n] = far;
  }
}

// The page of a place that is only stored to may never have been touched.
kernel void elsewhere(global const int* first, global const int* edges, global const int* marks, global int* out) {
  const int node = get_global_id(0);
  for (int k = first[node]; k < first[node + 1]; ++k)
    if (marks[edges[k]] < 0) out[edges[k]] = 1;
}

// More than stores depends on the branch.
kernel void counted(global const int* first, global const int* edges, global int* marks, global int* found, int mark) {
  const int node = get_global_id(0);
  for (int k = first[node]; k < first[node + 1]; ++k)
    if (marks[edges[k]] < 0) {
      marks[edges[k]] = mark;
      ++*found;
    }
}

// The next turn reads what this one stores beside its mark.
kernel void latest(global const int* first, global const int* edges, global int* marks, global int* found) {
  const int node = get_global_id(0);
  for (int k = first[node]; k < first[node + 1]; ++k)
    if (marks[edges[k]] < *found) {
      marks[edges[k]] = 5;
      *found = 3;
    }
}
