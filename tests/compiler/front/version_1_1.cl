// RUN: %skmd-compile --preprocess %s -cl-std=CL1.1 | %FileCheck %s
// RUN: %skmd-compile --options %s -cl-std=CL1.1 | %FileCheck %s --check-prefix=OPTIONS
constant int c = __OPENCL_C_VERSION__;
kernel void k() {}
// CHECK: constant int c = 110;
// OPTIONS: -cl-std=CL1.1
