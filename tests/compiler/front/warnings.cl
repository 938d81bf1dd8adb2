// RUN: %skmd-compile --describe %s 2>&1 | %FileCheck %s
// RUN: %skmd-compile --describe %s -w 2>&1 | %FileCheck %s --check-prefix=QUIET
// RUN: not %skmd-compile --describe %s -Werror 2>&1 | %FileCheck %s --check-prefix=STRICT
kernel void k(global int* a) {
  int x = 3.7;
  a[0] == 1;
  a[1] = x;
}
// CHECK: <source>:6:8: warning: equality comparison result unused
// CHECK: kernel k
// QUIET-NOT: warning
// QUIET: kernel k
// STRICT: <source>:6:8: error: equality comparison result unused
// STRICT: failed
