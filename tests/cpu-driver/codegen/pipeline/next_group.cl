// SPDX-License-Identifier: Apache-2.0
// Loops that only read, in several vectors of a row at once, prefetch what the next group will read at the same place.
// RUN: %skmd-compile --kernel sums --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=AVX512
// RUN: %skmd-compile --kernel sums --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=AVX2
// RUN: %skmd-compile --kernel sums --emit remarks --isa sse %s | %FileCheck %s --check-prefix=SSE
// RUN: %skmd-compile --kernel sums --emit vector-llvm --isa sse %s | %FileCheck %s
// RUN: %skmd-compile --kernel moved --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=MOVED
// RUN: %skmd-compile --kernel same --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel squares --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel strides --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel growing --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel hashed --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NONE

// NONE: vectors at once
// NONE-NOT: prefetched

// 64 bytes are a line: every vector, every other one, every fourth; two loads.
// AVX512: 16 vectors at once, and 32 cache lines of the next group's prefetched
// AVX512: 4 vectors at once, and 8 cache lines of the next group's prefetched
// AVX2: 4 vectors at once, and 4 cache lines of the next group's prefetched
// SSE: 4 vectors at once, and 2 cache lines of the next group's prefetched

// As far on as a group reads: twice the local size, times the parameter, in bytes.
// CHECK-LABEL: define {{.*}}@skmd_kernel_sums.limited(
// CHECK: [[TWICE:%.*]] = shl {{.*}}, 1
// CHECK: [[NUMBERS:%.*]] = mul {{.*}}[[TWICE]]
// CHECK: [[WIDE:%.*]] = {{[sz]}}ext {{.*}}[[NUMBERS]] to i64
// CHECK: [[BYTES:%.*]] = shl {{.*}}[[WIDE]], 2
// CHECK: [[AHEAD:%.*]] = getelementptr i8, ptr addrspace(1) [[PLACE:%.*]], i64 [[BYTES]]
// CHECK-NEXT: call void @llvm.prefetch.p1(ptr addrspace(1) [[AHEAD]], i32 0, i32 2, i32 1)
// CHECK-NEXT: load <4 x float>, ptr addrspace(1) [[PLACE]]
kernel void sums(global const float* x, global float* y, int pairs, local float* tile) {
  const int l = get_local_id(0), size = get_local_size(0);
  const int first = get_group_id(0) * (2 * size * pairs) + l;
  float sum = 0;
  for (int k = 0; k < pairs; ++k) sum += x[first + k * 2 * size] + x[first + k * 2 * size + size];
  tile[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) y[get_group_id(0)] = tile[0] + tile[size - 1];
}

// Where groups begin is in memory, as it is for a part of a launch.
// MOVED: 4 vectors at once, and 2 cache lines of the next group's prefetched
kernel void moved(global const float* x, global float* y, constant ulong* begin, int n, local float* tile) {
  const int l = get_local_id(0), size = get_local_size(0);
  const int first = (int)(get_group_id(0) + begin[1]) * (size * n) + l;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += x[first + k * size];
  tile[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) y[get_group_id(0)] = tile[0] + tile[size - 1];
}

// All groups read the same.
kernel void same(global const float* x, global float* y, int n, local float* tile) {
  const int l = get_local_id(0), size = get_local_size(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += x[l + k * size];
  tile[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) y[get_group_id(0)] = tile[0] + tile[size - 1];
}

// How far it is to the next group differs from group to group.
kernel void squares(global const float* x, global float* y, int n, local float* tile) {
  const int l = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += x[group * group * n + l + k * size];
  tile[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) y[group] = tile[0] + tile[size - 1];
}

// So it does from turn to turn.
kernel void strides(global const float* x, global float* y, int n, local float* tile) {
  const int l = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
  float sum = 0;
  int at = 0;
  for (int k = 0; k < n; ++k) {
    sum += x[at + l];
    at += group * size;
  }
  tile[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) y[group] = tile[0] + tile[size - 1];
}

// And by a factor that the turn computes behind the load.
kernel void growing(global const float* x, global float* y, int n, local float* tile) {
  const int l = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
  float sum = 0;
  int at = 0;
  for (int k = 0; k < n; ++k) {
    sum += x[at + l];
    at += group * (k * k ^ size);
  }
  tile[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) y[group] = tile[0] + tile[size - 1];
}

// Each step of the hash uses the one before twice: asking anew each time, a thousand million answers would be needed.
#define STEP h += h << 5;
kernel void hashed(global const float* x, global float* y, int n, local float* tile) {
  const int l = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
  int h = group / 3;
  STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
  STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += x[(h & 1023) + l + k * size];
  tile[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) y[group] = tile[0] + tile[size - 1];
}
