// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// Overloads are told apart by declaration.

int __attribute__((overloadable)) f(int x) { return x; }
int __attribute__((overloadable)) f(float x) { return get_group_id(0); }
kernel void k(global int* a) { a[0] = f(1) + f(1.0f); }

// CHECK: f(int x) { return x; }
// CHECK: f(float x, skmd_record_v1 skmd_launch) { return skmd_get_group_id(0, skmd_launch); }
// CHECK: a[0] = f(1) + f(1.0f, skmd_launch); }
