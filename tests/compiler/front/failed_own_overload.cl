// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
// A function of the program's own has no other overloads anywhere.
int __attribute__((overloadable)) f(int x) { return x; }
int __attribute__((overloadable)) f(int x, int y) { return x; }
kernel void k(global int* a) { a[0] = f(); }
// CHECK: error: no matching function for call to 'f'
// CHECK: skmd-compile: failed
