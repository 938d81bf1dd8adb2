// RUN: %skmd-compile --describe %s 2>&1 | %FileCheck %s
// What older Clangs only warned about, and vendors may still, is no error.
kernel void k(global int* a, global float* f) {
  global int* p = f;
  global int* q = 16;
  a[0] = p;
}
// CHECK: <source>:4:{{.*}} warning: incompatible pointer types
// CHECK: <source>:5:{{.*}} warning: incompatible integer to pointer conversion
// CHECK: <source>:6:{{.*}} warning: incompatible pointer to integer conversion
// CHECK: kernel k
