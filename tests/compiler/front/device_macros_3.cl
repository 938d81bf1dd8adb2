// RUN: %skmd-compile --preprocess %s -cl-std=CL3.0 -cl-fast-relaxed-math | %FileCheck %s
int c = __OPENCL_C_VERSION__; int fast = __FAST_RELAXED_MATH__; int feature = __opencl_c_fp64 + __opencl_c_int64;
// CHECK: int c = 300; int fast = 1; int feature = 1 + 1;
