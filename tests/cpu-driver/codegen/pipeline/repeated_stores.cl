// SPDX-License-Identifier: Apache-2.0
// What every item that stores stores to the same place is stored only where it is not there yet.
// RUN: %skmd-compile --kernel any --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=ANY
// RUN: %skmd-compile --kernel any --emit vector-llvm --width 1 %s | %FileCheck %s --check-prefix=ANY
// RUN: %skmd-compile --kernel given --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=GIVEN
// RUN: %skmd-compile --kernel next --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=POISON
// RUN: %skmd-compile --kernel last --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel elsewhere --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel two --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel fenced --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel counted --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel seen --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=NONE

// NONE: define {{.*}}@skmd_kernel_
// NONE-NOT: %there

// ANY: [[THERE:%there[0-9]*]] = load i32, ptr addrspace(1) [[PLACE:%.+]], align 4
// ANY-NEXT: [[KNOWN:%.+]] = freeze i32 [[THERE]]
// ANY-NEXT: [[DIFFERS:%.+]] = icmp ne i32 [[KNOWN]], 1
// ANY-NEXT: br i1 [[DIFFERS]], label %[[STORE:.+]], label %{{.+}}, !prof
// ANY: [[STORE]]:
// ANY-NEXT: store i32 1, ptr addrspace(1) [[PLACE]], align 4
kernel void any(global const float* in, global int* found) {
  if (in[get_global_id(0)] < 0) *found = 1;
}

// Numbers are compared as bits: -0.0 is not 0.0.
// GIVEN: load i64, ptr addrspace(1) [[PLACE:%.+]], align 8
// GIVEN: icmp ne i64
// GIVEN: store double {{%.+}}, ptr addrspace(1) [[PLACE]], align 8
kernel void given(global const float* in, global double* found, double number, int at) {
  if (in[get_global_id(0)] < 0) found[at] = number;
}

// What may be poison may be stored, and nothing may depend on it.
// POISON: [[NUMBER:%.+]] = freeze i32 %
// POISON-NEXT: load i32, ptr addrspace(1) [[PLACE:%.+]], align 4
// POISON: icmp ne i32 {{%.+}}, [[NUMBER]]
// POISON: store i32 [[NUMBER]], ptr addrspace(1) [[PLACE]], align 4
kernel void next(global const float* in, global int* found, int number) {
  if (in[get_global_id(0)] < 0) *found = number + 1;
}

// Each item has a number, or a place, of its own.
kernel void last(global const float* in, global int* found) {
  if (in[get_global_id(0)] < 0) *found = get_global_id(0);
}
kernel void elsewhere(global const int* in, global int* found) {
  if (in[get_global_id(0)] < 0) found[-in[get_global_id(0)]] = 1;
}
// What is there is soon another.
kernel void two(global const float* in, global int* found) { *found = in[get_global_id(0)] < 0 ? 1 : 2; }

// An item that sees the flag relies on what was stored before.
kernel void fenced(global float* in, global int* found) {
  if (in[get_global_id(0)] < 0) {
    in[get_global_id(0)] = 1;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    *found = 1;
  }
}
kernel void counted(global const float* in, global int* found) {
  if (in[get_global_id(0)] < 0) {
    atomic_inc(found + 1);
    *found = 1;
  }
}
kernel void seen(global const float* in, volatile global int* found) {
  if (in[get_global_id(0)] < 0) *found = 1;
}
