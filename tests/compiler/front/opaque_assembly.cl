// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
kernel void k(global uint* a) { uint x; asm volatile("mov.u32 %0, %%laneid;" : "=r"(x)); a[0] = x; }
// CHECK: opaque: 'asm' may mean more to a vendor's compiler
