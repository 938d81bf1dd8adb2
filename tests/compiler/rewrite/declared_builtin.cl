// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// A program may declare a builtin that it does not define; it is the builtin still.

size_t get_group_id(uint d);
kernel void k(global int* a) { a[0] = get_group_id(0); }

// CHECK: kernel void k(global int* a, skmd_record_v1 skmd_launch) { a[0] = skmd_get_group_id(0, skmd_launch); }
