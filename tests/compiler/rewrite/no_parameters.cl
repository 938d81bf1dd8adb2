// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// An empty list, and one that says void, hold the record alone.

int none() { return get_group_id(0); }
int nothing( void ) { return none(); }
int blank( /* nothing */ ) { return nothing(); }
kernel void k() { int x = blank(); }
kernel void m(void) { k(); }

// CHECK: int none(skmd_record_v1 skmd_launch) { return skmd_get_group_id(0, skmd_launch); }
// CHECK: int nothing(skmd_record_v1 skmd_launch) { return none(skmd_launch); }
// CHECK: int blank(skmd_record_v1 skmd_launch) { return nothing(skmd_launch); }
// CHECK: kernel void k(skmd_record_v1 skmd_launch) { int x = blank(skmd_launch); }
// CHECK: kernel void m(skmd_record_v1 skmd_launch) { k(skmd_launch); }
