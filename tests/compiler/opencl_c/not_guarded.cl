// SPDX-License-Identifier: Apache-2.0
// RUN: not %skmd-compile --kernel-code --isa opencl-c-traps %s 2>&1 | %FileCheck %s
// Kernels that vendors' devices have no checked form of, and why.

// CHECK: kernel prints has no code: no_form_here: it prints
__kernel void prints(__global int* out) {
  barrier(CLK_LOCAL_MEM_FENCE);
  printf("%d\n", out[get_global_id(0)]);
}
// CHECK: kernel images has no code: no_form_here: it uses images
__kernel void images(__global float4* out, __read_only image2d_t in) {
  __local float4 x[16];
  x[get_local_id(0)] = read_imagef(in, (int2)(get_global_id(0), 0));
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = x[0];
}
// CHECK: kernel keeps has no code: pointer_in_memory: it keeps addresses in memory
__kernel void keeps(__global int* out, __local int* a, __local int* b) {
  __local int* which[2] = {a, b};
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = *which[out[0] & 1];
}
