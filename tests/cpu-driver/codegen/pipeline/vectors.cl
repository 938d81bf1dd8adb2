// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --kernel saxpy --emit vector-llvm --isa avx2 %s | %FileCheck %s
// RUN: %skmd-compile --kernel saxpy --emit vector-llvm --isa avx512 --width 4 %s | %FileCheck %s --check-prefix=FOUR
// RUN: %skmd-compile --kernel saxpy --emit vector-llvm --isa avx2 --width 1 %s | %FileCheck %s --check-prefix=ONE
// RUN: %skmd-compile --kernel doubles --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=HALF
// RUN: %skmd-compile --kernel lengths --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=LENGTHS
// RUN: %skmd-compile --kernel short_rows --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=SHORT
// RUN: %skmd-compile --kernel tile --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=TILE
// RUN: %skmd-compile --kernel places --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=PLACES

// Neighbours are loaded at once although the index is an int: ids are known to be small.
// CHECK: @skmd_facts_saxpy = constant {{.*}} i32 8, i32 0, i32 0, i32 0 }
// CHECK: load <8 x float>, ptr addrspace(1) {{.*}} align 4
// CHECK: store <8 x float> {{.*}} align 4
// FOUR: load <4 x float>
// ONE: i32 1, i32 0, i32 0, i32 0 }
// ONE-NOT: x float>
kernel void saxpy(global const float* x, global float* y, float a) {
  const int i = get_global_id(0);
  y[i] += a * x[i];
}

// HALF: region 0: 8 lanes
kernel void doubles(global double* y) { y[get_global_id(0)] *= 2; }

// LENGTHS: region 0: 4 lanes
kernel void lengths(global double4* y) { y[get_global_id(0)] = normalize(y[get_global_id(0)]); }

// The local size is a constant, also in places: one row is one vector, at 64 bytes from the next.
// TILE-LABEL: define {{.*}}@skmd_kernel_tile.limited(
// TILE-NOT: call {{.*}}skmd.vector.load
// TILE: store <16 x float>
// TILE: ret void
kernel __attribute__((reqd_work_group_size(16, 4, 1))) void tile(global float* out) {
  local float rows[4][16];
  rows[get_local_id(1)][get_local_id(0)] = out[get_global_id(1) * get_global_size(0) + get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = rows[3 - get_local_id(1)][get_local_id(0)];
}

// What follows from ids and arguments is computed again behind a barrier, also if the loop's both ways need it.
// PLACES: region 2: 16 lanes
// PLACES-NOT: one by one
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void places(global const int* in, global int* out, int n,
                                                                    local int* l) {
  const int row = get_group_id(1) * 16 + get_local_id(1);
  const int column = get_group_id(0) * 16 + get_local_id(0);
  int sum = 0;
  for (int k = 0; k < n; k += 16) {
    l[get_local_id(0)] = in[row * n + k + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += l[get_local_id(1)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[row * n + column] = sum;
}

// Rows of eight items are whole vectors of eight lanes, also where sixteen would fit into one.
// SHORT: @skmd_facts_short_rows = constant {{.*}} i32 8, i32 0, i32 0, i32 0 }
// SHORT-LABEL: define {{.*}}@skmd_kernel_short_rows.limited(
// SHORT-NOT: @llvm.masked
// SHORT: store <8 x float>
// SHORT-NOT: @llvm.masked
// SHORT: ret void
kernel __attribute__((reqd_work_group_size(8, 8, 1))) void short_rows(global float* out) {
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] *= 2;
}
