// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
// Vendors may have overloads that Clang has not.
kernel void k(global float* a) { atomic_add(a, 1.0f); }
// CHECK: opaque: 'atomic_add' is not known to our front end with these arguments
