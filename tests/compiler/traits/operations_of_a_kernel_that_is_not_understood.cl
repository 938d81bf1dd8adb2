// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Nothing is known of what calls itself, so that data may decide.
int f(int n) { return n < 2 ? 1 : f(n - 1) + f(n - 2); }
__kernel void k(__global int* c) {
  // CHECK: facts: device_specific_code{{.*}} data_decides_work{{$}}
  // CHECK-NOT: operations
  c[get_global_id(0)] = f(7);
}
