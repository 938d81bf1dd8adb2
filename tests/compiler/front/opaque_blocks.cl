// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
kernel void k(global int* a) { int (^b)(int) = ^(int x) { return x; }; a[0] = b(1); }
// CHECK: opaque: blocks support disabled
