// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
// Errors carry line and column of the program as it was written, macros and all.

#define VALUE(x) (x) + missing
kernel void k(global int* a) {
  a[0] = 1
  ;
  /* a comment */    a[1] = VALUE( 2 );
  a[2] = ) 3;
}
// CHECK: <source>:8:29: error: use of undeclared identifier 'missing'
// CHECK: <source>:4:24: note: expanded from macro 'VALUE'
// CHECK: <source>:9:10: error: expected expression
// CHECK-NEXT: a[2] = ) 3;
// CHECK-NEXT: {{ \^}}
// CHECK: skmd-compile: failed
