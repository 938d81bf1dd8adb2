// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --kernel-code --isa opencl-c-traps %s | %FileCheck %s
// Checked kernels as vendors get them: left before what would trap, with a record each.

// CHECK-LABEL: void skmd_stoppable_divide(
// CHECK: if ({{.*}}>={{.*}}) { goto [[LEAVE:block[0-9]+]]; }
// CHECK: if ({{.*}} == 0u) { goto [[ZERO:block[0-9]+]]; }
// The divisor may still be -1.
// CHECK: == 0xffffffffu
// CHECK: [[LEAVE]]:;
// CHECK-NEXT: [[NUMBER:v[0-9]+]] = atomic_add((volatile global uint*)p_skmd_control, 1u);
// CHECK: [[ZERO]]:;
// CHECK-NEXT: atomic_add((volatile global uint*)p_skmd_control, 1u);
__kernel void divide(__global int* out, __global const int* in, __global const int* by) {
  size_t i = get_global_id(0);
  out[i] = in[i] / by[i];
}

// Nothing goes on behind what the device cannot do.
// CHECK-LABEL: void skmd_stoppable_prints(
// CHECK-NOT: printf
__kernel void prints(__global int* out) {
  size_t i = get_global_id(0);
  if (out[i] < 0) {
    printf("%d\n", out[i]);
    out[i] = 0;
  }
}

// A read without a use may trap, too.
// CHECK-LABEL: void skmd_stoppable_useless(
// CHECK: atomic_add(
__kernel void useless(__global const int* in) {
  int x = in[get_global_id(0)];
}
