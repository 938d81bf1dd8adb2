// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
#pragma OPENCL EXTENSION cl_nv_pragma_unroll : enable
kernel void k(global int* a) { __nv_special int x = 1; a[0] = x; }
// CHECK: opaque:
