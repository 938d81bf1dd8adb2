// RUN: not %skmd-compile --rewrite --compile-stage %s 2>&1 | %FileCheck %s
// Whether a kernel of another unit takes the record cannot be known here.

kernel void other(global int* a);
kernel void k(global int* a) { other(a); }

// CHECK: opaque: kernel other of another unit is called
