// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --kernel-code --isa opencl-c --yielding every %s | %FileCheck %s --implicit-check-not=skmd_over
// RUN: %skmd-compile --kernel-code --isa opencl-c-clock --yielding every %s | %FileCheck %s --check-prefix=CLOCK
// RUN: not %skmd-compile --kernel-code --isa opencl-c-apart --yielding every %s 2>&1 | %FileCheck %s --check-prefix=APART
// Kernels for launches that are stopped inside of groups. What an item says at a barrier, local memory that is kept, and
// the group's point are read by others, also behind barriers of the program that order global memory alone.

// CHECK: #define skmd_group() get_group_id(0)
// CHECK: kernel void skmd_stoppable_tiles(
// CHECK: barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
// CHECK: barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
// CHECK-NOT: barrier(CLK_GLOBAL_MEM_FENCE)
// CLOCK: uint skmd_over(__global uint* control)
// CLOCK: %%globaltimer
// Registers are read again where code leaves and goes on, and kept by no loop.
// CLOCK: SKMD_REGISTER(skmd_group, "ctaid.x")
// CLOCK: kernel void skmd_stoppable_tiles(
// CLOCK: skmd_stages_here(
// CLOCK: skmd_over(
// CLOCK: skmd_linear_here()
// CLOCK: skmd_state_here(
// APART-DAG: kernel tiles has no code: no_form_here: its groups leave at barriers
// APART-DAG: kernel void skmd_stoppable_alone(
__kernel void tiles(__global uint* out, uint n) {
  __local uint tile[64];
  const uint item = get_local_id(0);
  tile[item] = item;
  for (uint i = 0; i < n + item % 2; ++i) {
    if (i >= n) break;
    barrier(CLK_GLOBAL_MEM_FENCE);
    tile[item] += out[get_global_id(0) + i];
  }
  out[get_global_id(0)] = tile[item];
}

// CHECK: kernel void skmd_stoppable_alone(
__kernel void alone(__global uint* out, uint n) {
  uint x = get_global_id(0);
  while (x % 7 != 3 && x < n) x = x * 5 + 1;
  out[get_global_id(0)] = x;
}

// NVIDIA's compiler would take as many registers as the size allows.
// CHECK: kernel __attribute__((reqd_work_group_size(16, 4, 1))) void skmd_stoppable_sized(
// CLOCK: kernel void skmd_stoppable_sized(
__attribute__((reqd_work_group_size(16, 4, 1))) __kernel void sized(__global uint* out, uint n) {
  uint x = get_global_id(0);
  while (x % 5 != 3 && x < n) x = x * 5 + 1;
  out[get_global_id(0)] = x;
}
