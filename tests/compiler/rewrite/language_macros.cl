// RUN: %skmd-compile --rewrite %s | %FileCheck %s
// RUN: %skmd-compile --rewrite %s > %t.cl && %skmd-compile --describe %t.cl
// A query as the argument of a macro of the language (as_…) is rewritten where it was written.

kernel void k(global float* a) { a[0] = as_float((int)get_group_id(0)) + as_float2(as_int2((uint2)(get_group_id(0), 1))).x; }

// CHECK: a[0] = as_float((int)skmd_get_group_id(0, skmd_launch)) + as_float2(as_int2((uint2)(skmd_get_group_id(0, skmd_launch), 1))).x; }
