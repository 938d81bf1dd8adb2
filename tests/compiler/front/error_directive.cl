// RUN: not %skmd-compile --describe %s 2>&1 | %FileCheck %s
#error this device is too old
// CHECK: <source>:2:2: error: this device is too old
// CHECK: failed
