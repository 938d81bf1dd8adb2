// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// A helper that asks but is called by no kernel is rewritten with all others, and no kernel changes.

int idle(void) { return get_group_id(0); }
kernel void k(global int* a) { a[0] = 1; }

// CHECK: int idle(skmd_record_v1 skmd_launch) { return skmd_get_group_id(0, skmd_launch); }
// CHECK: kernel void k(global int* a) { a[0] = 1; }
