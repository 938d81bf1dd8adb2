// RUN: %skmd-compile --preprocess %s | %FileCheck %s
// Pragmas reach vendors, extensions by name.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define UNROLL(n) _Pragma(#n)
kernel void k(global int* a) {
#pragma unroll 4
  for (int i = 0; i < 8; ++i) a[i] = 0;
  UNROLL(unroll 2)
  for (int i = 0; i < 8; ++i) a[i] = 0;
}
// CHECK: #pragma OPENCL EXTENSION cl_khr_fp64 : enable
// CHECK: #pragma OPENCL FP_CONTRACT OFF
// CHECK: #pragma unroll 4
// CHECK-NEXT: for
// CHECK: #pragma unroll 2
// CHECK-NEXT: for
