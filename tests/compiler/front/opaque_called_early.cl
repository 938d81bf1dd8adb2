// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
// C89 declared a function by its first call.
kernel void k(global int* a) { a[0] = late(1); }
int late(int x) { return x; }
// CHECK: opaque: 'late' is called before it is declared
