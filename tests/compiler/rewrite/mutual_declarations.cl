// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// Helpers that refer to each other ahead of their definitions (never at run time: recursion is illegal).

int odd(int x);
int even(int x) { return x == 0 ? (int)get_num_groups(0) : odd(x - 1); }
int odd(int x) { return x == 0 ? 0 : even(x - 1); }
kernel void k(global int* a) { a[0] = odd(3); }

// CHECK: int odd(int x, skmd_record_v1 skmd_launch);
// CHECK: int even(int x, skmd_record_v1 skmd_launch) { return x == 0 ? (int)skmd_get_num_groups(0, skmd_launch) : odd(x - 1, skmd_launch); }
// CHECK: int odd(int x, skmd_record_v1 skmd_launch) { return x == 0 ? 0 : even(x - 1, skmd_launch); }
