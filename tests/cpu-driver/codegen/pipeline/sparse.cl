// SPDX-License-Identifier: Apache-2.0
// Loops that each item leaves at its own time, writing where memory says, run item by item; vectors choose the items.
// RUN: %skmd-compile --kernel pushes --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=CHOSEN
// RUN: %skmd-compile --kernel pushes --emit remarks --isa sse %s | %FileCheck %s --check-prefix=CHOSEN
// RUN: %skmd-compile --kernel counts --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=CHOSEN
// RUN: %skmd-compile --kernel first_writes --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=ALL
// RUN: %skmd-compile --kernel every --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=ALL
// RUN: %skmd-compile --kernel with_barrier --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=ALL
// RUN: %skmd-compile --kernel reads --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=VECTORS
// RUN: %skmd-compile --kernel together --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=VECTORS
// RUN: %skmd-compile --kernel neighbours --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=VECTORS
// RUN: %skmd-compile --kernel computes --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=VECTORS
// RUN: %skmd-compile --kernel pushes --emit vector-llvm --isa avx512 %s | %FileCheck %s

// CHOSEN: item by item: items go through a loop at their own pace
// CHOSEN: lanes choose the items that run
// ALL: item by item: items go through a loop at their own pace
// ALL-NOT: choose
// VECTORS: lanes
// VECTORS-NOT: item by item

// The part that chooses has whole vectors, and no store but that of the flags; then the set bits are counted off.
// CHECK: define {{.*}}@skmd_kernel_pushes.limited(
// CHECK: alloca [1024 x i8]
// CHECK: masked.load.v16i32
// CHECK: store <16 x i8>
// CHECK-NOT: masked.scatter
// CHECK: icmp ne <64 x i8>
// CHECK: cttz.i64
// CHECK-NOT: masked
// CHECK: store i32
// CHECK: {{^}}}
kernel void pushes(global const int* first, global const int* edges, global int* levels, int level) {
  const int i = get_global_id(0);
  if (levels[i] != level) return;
  for (int k = first[i]; k < first[i + 1]; ++k)
    if (levels[edges[k]] < 0) levels[edges[k]] = level + 1;
}
kernel void counts(global const int* first, global const int* edges, global int* counts) {
  const int i = get_global_id(0);
  for (int k = first[i]; k < first[i + 1]; ++k) atomic_inc(counts + edges[k]);
}

// Nobody ends without having done something.
kernel void first_writes(global const int* first, global const int* edges, global int* counts, global int* out) {
  const int i = get_global_id(0);
  out[i] = 1;
  for (int k = first[i]; k < first[i + 1]; ++k) atomic_inc(counts + edges[k]);
}
kernel void every(global const int* first, global const int* edges, global int* counts) {
  const int i = get_global_id(0);
  int k = first[i];
  do atomic_inc(counts + edges[k]);
  while (++k < first[i + 1]);
}
kernel void with_barrier(global const int* first, global const int* edges, global int* counts) {
  const int i = get_global_id(0);
  barrier(CLK_GLOBAL_MEM_FENCE);
  for (int k = first[i]; k < first[i + 1]; ++k) atomic_inc(counts + edges[k]);
}

kernel void reads(global const int* first, global const int* edges, global const int* in, global int* out) {
  const int i = get_global_id(0);
  int sum = 0;
  for (int k = first[i]; k < first[i + 1]; ++k) sum += in[edges[k]];
  out[i] = sum;
}
kernel void together(global const int* edges, global int* counts, int count) {
  const int i = get_global_id(0);
  for (int k = 0; k < count; ++k) atomic_inc(counts + edges[i * count + k]);
}
kernel void neighbours(global const int* ends, global int* out, int row) {
  const int i = get_global_id(0);
  for (int k = 0; k < ends[i]; ++k) out[k * row + i] = k;
}
kernel void computes(global const int* first, global const int* edges, global float* out) {
  const int i = get_global_id(0);
  for (int k = first[i]; k < first[i + 1]; ++k) {
    float x = k;
    for (int n = 0; n < 64; ++n) x = x * x - 0.75f;
    out[edges[k]] = x;
  }
}
