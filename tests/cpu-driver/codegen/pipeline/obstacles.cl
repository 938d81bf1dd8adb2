// SPDX-License-Identifier: Apache-2.0
// A kernel without code keeps none of the others from having some, and says why.
// RUN: not %skmd-compile --kernel-code %s 2>&1 >%t.span | %FileCheck %s
// RUN: test -s %t.span

// CHECK: kernel again has no code: it calls itself
// CHECK-NOT: kernel good
kernel void good(global int* out) { out[get_global_id(0)] = 1; }
int fall(int n) { return n > 1 ? fall(n - 1) * n : 1; }
kernel void again(global int* out) { out[get_global_id(0)] = fall(out[0]); }
