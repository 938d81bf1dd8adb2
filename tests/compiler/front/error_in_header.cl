// RUN: printf '\nint x = ;\n' > %t.h
// RUN: not %skmd-compile --describe --header inc/bad.h %t.h %s 2>&1 | %FileCheck %s
#include "inc/bad.h"
kernel void k(global int* a) { a[0] = x; }
// CHECK: In file included from <source>:3:
// CHECK: inc/bad.h:2:9: error: expected expression
// CHECK: failed
