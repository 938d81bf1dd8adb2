// RUN: %skmd-compile --rewrite --compile-stage %s | %FileCheck %s
// One unit of several stays as it is: who needs the record is known when they are joined. It may call what it does not
// have, kernels too.

int elsewhere(int x);
int external(int x) { return x + get_group_id(0); }
kernel void other(global int* a);
kernel void calls(global int* a) { a[0] = elsewhere(1); other(a); }

// CHECK: int elsewhere(int x);
// CHECK: int external(int x) { return x + get_group_id(0); }
// CHECK: kernel void other(global int* a);
// CHECK: kernel void calls(global int* a) { a[0] = elsewhere(1); other(a); }
