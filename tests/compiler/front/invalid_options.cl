// RUN: not %skmd-compile --describe %s -nv-verbose 2>&1 | %FileCheck %s
// RUN: not %skmd-compile --describe %s -cl-std=CL2.0 2>&1 | %FileCheck %s --check-prefix=STANDARD
kernel void k() {}
// CHECK: build option '-nv-verbose' is unknown
// CHECK: invalid options
// STANDARD: build option '-cl-std=CL2.0' names no standard of this device
// STANDARD: invalid options
