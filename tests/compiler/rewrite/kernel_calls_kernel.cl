// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// A kernel that another one calls takes the record from its caller.

kernel void inner(global int* a) { a[get_global_id(0)] = get_group_id(0); }
kernel void outer(global int* a) { inner(a); }
kernel void plain(global int* a) { a[0] = 1; }
kernel void calls_plain(global int* a) { plain(a); }

// CHECK: kernel void inner(global int* a, skmd_record_v1 skmd_launch)
// CHECK: kernel void outer(global int* a, skmd_record_v1 skmd_launch) { inner(a, skmd_launch); }
// CHECK: kernel void plain(global int* a) { a[0] = 1; }
// CHECK: kernel void calls_plain(global int* a) { plain(a); }
