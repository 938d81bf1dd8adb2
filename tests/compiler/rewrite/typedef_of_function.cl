// RUN: not %skmd-compile --rewrite %s 2>&1 | %FileCheck %s
// A function declared by a typedef has no parameter list to extend.

typedef int function(int);
function f;
int f(int x) { return x + get_group_id(0); }
kernel void k(global int* a) { a[0] = f(1); }

// CHECK: opaque: f is declared by a typedef
