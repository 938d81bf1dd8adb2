// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// Prototypes before and after the definition, in other functions, and of functions without a definition, agree with it.

int late(int);
int late(int x);
int first(void) { int late(int); return late(1); }
int late(int x) { return x + get_global_size(0); }
int late(int x);
int never(int x);
kernel void k(global int* a);
kernel void k(global int* a) { a[0] = first(); }

// CHECK: int late(int, skmd_record_v1 skmd_launch);
// CHECK: int late(int x, skmd_record_v1 skmd_launch);
// CHECK: int first(skmd_record_v1 skmd_launch) { int late(int, skmd_record_v1 skmd_launch); return late(1, skmd_launch); }
// CHECK: int late(int x, skmd_record_v1 skmd_launch) { return x + skmd_get_global_size(0, skmd_launch); }
// CHECK: int late(int x, skmd_record_v1 skmd_launch);
// CHECK: int never(int x);
// CHECK: kernel void k(global int* a, skmd_record_v1 skmd_launch);
// CHECK: kernel void k(global int* a, skmd_record_v1 skmd_launch) { a[0] = first(skmd_launch); }
