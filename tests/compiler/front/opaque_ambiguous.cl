// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
// Vendors may choose where Clang finds several overloads equally good.
kernel void k(global int* a, uint n) { a[0] = max(a[1], n); }
// CHECK: opaque: 'max' is not known to our front end with these arguments
