// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// Nothing of ours meets a name of the program's.

int skmd_get_group_id(int x) { return x; }
int skmd1_launch(int x) { return x; }
kernel void k(global int* a) { a[0] = get_group_id(0) + skmd_get_group_id(1) + skmd1_launch(2); }

// CHECK: typedef struct skmd2_record_v1 {
// CHECK: kernel void k(global int* a, skmd2_record_v1 skmd2_launch) { a[0] = skmd2_get_group_id(0, skmd2_launch) + skmd_get_group_id(1) + skmd1_launch(2); }
