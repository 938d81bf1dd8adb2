// RUN: %skmd-compile --rewrite --compile-stage %s | %FileCheck %s
// RUN: %skmd-compile --rewrite --compile-stage %s > %t.cl && %skmd-compile --describe --compile-stage %t.cl
// One unit of several: every external function takes the record, for another unit may call or define it. Static ones
// and kernels only if they need it.

int elsewhere(int x);
int external(int x) { return x; }
static int internal(int x) { return x; }
kernel void calls(global int* a) { a[0] = elsewhere(1); }
kernel void plain(global int* a) { a[0] = internal(1); }

// CHECK: int elsewhere(int x, skmd_record_v1 skmd_launch);
// CHECK: int external(int x, skmd_record_v1 skmd_launch) { return x; }
// CHECK: static int internal(int x) { return x; }
// CHECK: kernel void calls(global int* a, skmd_record_v1 skmd_launch) { a[0] = elsewhere(1, skmd_launch); }
// CHECK: kernel void plain(global int* a) { a[0] = internal(1); }
