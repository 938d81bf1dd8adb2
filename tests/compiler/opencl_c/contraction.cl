// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --opencl-c %s | %FileCheck %s
// A product and a sum are in one expression where they were in one, and nowhere else.

// CHECK-LABEL: kernel void together(
// CHECK-NOT: FP_CONTRACT
// CHECK: = p_a * p_b + p_c;
// CHECK: [[PRODUCT:v[0-9]+]] = p_a * p_c;
// CHECK-NEXT: [1] = [[PRODUCT]] + p_b;
kernel void together(global float* out, float a, float b, float c) {
  out[0] = a * b + c;
  float product = a * c;
  out[1] = product + b;
}

// CHECK-LABEL: kernel void apart(
// CHECK-NEXT: #pragma OPENCL FP_CONTRACT OFF
// CHECK: [[PRODUCT:v[0-9]+]] = p_a * p_b;
// CHECK-NEXT: = [[PRODUCT]] + p_c;
kernel void apart(global float* out, float a, float b, float c) {
#pragma OPENCL FP_CONTRACT OFF
  out[0] = a * b + c;
}
