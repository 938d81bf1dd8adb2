// RUN: %skmd-compile --rewrite %s -cl-std=CL1.1 > %t.cl && %skmd-compile --describe %t.cl -cl-std=CL1.1 | %FileCheck %s
// OpenCL C 1.1 has no `static`: helper functions must compile there, too.

kernel void k(global size_t* a) { a[get_global_id(0)] = get_group_id(0); }

// CHECK: kernel k
