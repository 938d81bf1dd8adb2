// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// A function that the program defines itself under a query's name is an ordinary function.

size_t get_group_id(uint d) { return d + 1; }
kernel void k(global int* a) { a[0] = get_group_id(0); }
kernel void m(global int* a) { a[0] = get_group_id(0) + get_num_groups(0); }

// CHECK: size_t get_group_id(uint d) { return d + 1; }
// CHECK: kernel void k(global int* a) { a[0] = get_group_id(0); }
// CHECK: kernel void m(global int* a, skmd_record_v1 skmd_launch) { a[0] = get_group_id(0) + skmd_get_num_groups(0, skmd_launch); }
