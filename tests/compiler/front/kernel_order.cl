// RUN: %skmd-compile --describe %s | %FileCheck %s
// In the order of their definitions, none of Clang's own.
kernel void b(global int* a);
kernel void c() {}
kernel void b(global int* a) { a[0] = 1; }
void not_a_kernel() {}
kernel void a() { c(); }
// CHECK: kernel c
// CHECK: kernel b
// CHECK: kernel a
// CHECK-NOT: kernel
