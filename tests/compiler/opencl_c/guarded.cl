// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --kernel-code --isa opencl-c-traps %s | %FileCheck %s
// Checked kernels of which no item may leave, as vendors get them: each access is compared, told and left out.

// CHECK: void skmd_trap(

// A barrier is never in a branch of a guard. The local variables lie behind each other, as in span code.
// CHECK-LABEL: void skmd_stoppable_reverse(
// CHECK: local uchar [[LOCALS:[a-z0-9_]+]][192] __attribute__((aligned(128)));
// CHECK: if (!({{.*}})) { goto [[OUT:block[0-9]+]]; }
// CHECK-NEXT: [[READ:v[0-9]+]] = *(global uint*)(
// CHECK-NEXT: [[JOINED:v[0-9]+]] = [[READ]]; goto [[ON:block[0-9]+]];
// CHECK-NEXT: [[OUT]]:;
// CHECK-NEXT: skmd_trap((global uint*)p_skmd_control, (uint)0u,
// CHECK-NEXT: [[JOINED]] = 0u;
// CHECK-NEXT: [[ON]]:;
// CHECK: barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT: skmd_behind_barrier();
// CHECK: if (!([[PLACE:v[0-9]+]] <= 188ul))
// CHECK-NEXT: = *(local uint*)({{.*}}[[LOCALS]]){{.*}}[[PLACE]]
// CHECK-NOT: goto{{.*}}barrier
__kernel void reverse(__global int* out, __global const int* in, int n) {
  __local int first[20], second[16];
  int l = get_local_id(0);
  first[l] = in[get_global_id(0)];
  second[l] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = first[n - l] + second[l];
}

// A local argument's size is told by the launch. The exchange is as if it had found what it expects.
// CHECK-LABEL: void skmd_stoppable_exchange(
// CHECK: atomic_cmpxchg((volatile local uint*)
// CHECK: skmd_trap(
__kernel void exchange(__global int* out, __local int* shared) {
  int l = get_local_id(0);
  shared[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = atomic_cmpxchg(&shared[out[l]], 0, l);
}

// A pointer that moves is a number while it may be outside.
// CHECK-LABEL: void skmd_stoppable_walks(
// CHECK: [[NUMBER:v[0-9]+]] = (ulong)[[POINTER:v[0-9]+]];
// CHECK-NEXT: = (global uchar*)([[NUMBER]] + 4ul);
// CHECK: = *(global uint*)[[POINTER]];
__kernel void walks(__global int* out, __global const int* in, __local int* shared, int n) {
  int sum = 0;
  for (; n > 0; --n) sum += *in++;
  shared[get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = shared[0];
}
