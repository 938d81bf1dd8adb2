// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
kernel void k(global int* a) { a[0] = frobnicate(1); a[1] = frobnicate(2); }
// CHECK: <source>:2:39: error: use of undeclared identifier 'frobnicate'
// CHECK: skmd-compile: failed
