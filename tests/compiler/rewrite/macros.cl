// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// Queries that come out of macros are found: the text is preprocessed first.

#define GROUP(d) get_group_id(d)
#define TWICE(x) ((x) + (x))
#define NAME get_num_groups
kernel void k(global int* a) { a[0] = TWICE(GROUP(1)) + NAME(0); }

// CHECK: kernel void k(global int* a, skmd_record_v1 skmd_launch) { a[0] = ((skmd_get_group_id(1, skmd_launch)) + (skmd_get_group_id(1, skmd_launch))) + skmd_get_num_groups(0, skmd_launch); }
