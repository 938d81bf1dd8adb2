// SPDX-License-Identifier: Apache-2.0
// Vectors of a short row whose local size is known are written out without AVX-512, where masks ask for lanes: which lanes
// run is known of each, so that no mask is left.
// RUN: %skmd-compile --kernel edges --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=TWO
// RUN: %skmd-compile --kernel edges --emit remarks --isa sse %s | %FileCheck %s --check-prefix=FOUR
// RUN: %skmd-compile --kernel edges --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel plain --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel longer --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel unknown --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel edges --emit vector-llvm --isa avx2 %s | %FileCheck %s

// TWO: region 0: 2 vectors of a row are written out: {{[0-9]+}} instructions of at most 2000
// FOUR: region 0: 4 vectors of a row are written out: {{[0-9]+}} instructions of at most 2000
// NONE: has code
// NONE-NOT: written out

// CHECK-LABEL: define {{.*}}@skmd_kernel_edges.limited(
// CHECK: load <8 x float>
// CHECK: load <8 x float>
// CHECK-NOT: {{x i1>|masked}}
// CHECK: ret void
#define EDGES                                                                       \
  const int x = get_local_id(0), from = get_group_id(0) * get_local_size(0);        \
  tile[x + 1] = in[from + x];                                                       \
  if (x == 0) tile[0] = in[max(from - 1, 0)];                                       \
  if (x == get_local_size(0) - 1) tile[x + 2] = in[from + x + 1];                   \
  barrier(CLK_LOCAL_MEM_FENCE);                                                     \
  out[from + x] = tile[x] + tile[x + 1] + tile[x + 2];

kernel __attribute__((reqd_work_group_size(16, 1, 1))) void edges(global const float* in, global float* out) {
  local float tile[18];
  EDGES
}
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void longer(global const float* in, global float* out) {
  local float tile[66];
  EDGES
}
kernel void unknown(global const float* in, global float* out, local float* tile) { EDGES }
kernel __attribute__((reqd_work_group_size(16, 1, 1))) void plain(global const float* in, global float* out) {
  const int x = get_global_id(0);
  out[x] = in[x] + 1;
}
