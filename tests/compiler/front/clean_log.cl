// RUN: %skmd-compile --describe %s 2> %t.log > /dev/null && test ! -s %t.log
// A program without faults has an empty log: applications show any other to their users.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
#define M_PI_F 3.14159f
#ifdef cl_amd_printf
#pragma OPENCL EXTENSION cl_amd_printf : enable
#endif
int unused(int x) { return x; }
inline float helper(float x) { return native_sin(x) * M_PI_F; }
kernel void k(global float* a, constant float* restrict c, local float* l, const int n) {
  const int i = get_global_id(0);
#pragma unroll
  for (int j = 0; j < 4; ++j) l[j] = helper(c[j]);
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (i < n) a[i] = l[i & 3];
}
