// RUN: %skmd-compile --preprocess %s | %FileCheck %s
// What the virtual device defines.

int v = __OPENCL_VERSION__; int c = __OPENCL_C_VERSION__; int le = __ENDIAN_LITTLE__; int im = __IMAGE_SUPPORT__;
int versions = CL_VERSION_1_0 + CL_VERSION_1_1 + CL_VERSION_1_2 + CL_VERSION_3_0;
int extension = cl_khr_fp64 + cl_khr_global_int32_base_atomics;
#ifdef __FAST_RELAXED_MATH__
#error not asked for
#endif
#ifdef __opencl_c_fp64
#error a feature macro of 3.0
#endif
// CHECK: int v = 300; int c = 120; int le = 1; int im = 1;
// CHECK: int versions = 100 + 110 + 120 + 300;
// CHECK: int extension = 1 + 1;
