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
// RUN: %skmd-compile --kernel by_number --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=NOWHERE
// RUN: %skmd-compile --kernel pushes --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=BITS
// RUN: %skmd-compile --kernel pushes --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=OFTEN

// CHOSEN: item by item: items go through a loop at their own pace
// CHOSEN: lanes choose the items that run
// ALL: item by item: items go through a loop at their own pace
// ALL-NOT: choose
// VECTORS: lanes
// VECTORS-NOT: item by item

// The part that chooses has whole vectors, and no store but those of the flags and of what is read first; the set bits
// become a list, and what an item further on in it reads first is prefetched.
// CHECK: define {{.*}}@skmd_kernel_pushes.limited(
// CHECK-DAG: [[FLAGS:%.+]] = alloca [2048 x i8]
// CHECK-DAG: [[PLACES:%.+]] = alloca [2048 x i64]
// CHECK-DAG: alloca [2064 x i32]
// CHECK: masked.load.v16i32
// CHECK-NOT: masked.scatter
// CHECK: store <16 x i8>
// CHECK-NOT: masked.scatter
// CHECK: store <16 x i64>
// CHECK-NOT: masked.scatter
// CHECK: icmp ne <64 x i8>
// CHECK-COUNT-4: vector.compress.v16i32
// CHECK-NOT: cttz
// CHECK-NOT: masked
// CHECK: [[WHERE:%.+]] = getelementptr inbounds nuw i64, ptr [[PLACES]], i64
// CHECK-NEXT: [[FIRST:%.+]] = load i64, ptr [[WHERE]]
// CHECK-NEXT: [[PLACE:%.+]] = inttoptr i64 [[FIRST]] to ptr
// CHECK-NEXT: call void @llvm.prefetch.p0(ptr [[PLACE]], i32 0, i32 3, i32 1)
// CHECK-NEXT: [[FURTHER:%.+]] = add i64 [[FIRST]], 32
// CHECK-NEXT: [[PLACE_FURTHER:%.+]] = inttoptr i64 [[FURTHER]] to ptr
// CHECK-NEXT: call void @llvm.prefetch.p0(ptr [[PLACE_FURTHER]], i32 0, i32 3, i32 1)
// CHECK-NOT: masked
// CHECK: store i32
// CHECK: {{^}}}
// Where many ran in the piece before, no vector asks whether any lane goes on.
// OFTEN: define {{.*}}@skmd_kernel_pushes.limited(
// OFTEN: icmp ugt i64 {{%.+}}, 15
// OFTEN-NEXT: br i1 {{%.+}}, label %[[OFTEN:.+]], label %[[SELDOM:[^, ]+]]
// OFTEN: {{^}}[[OFTEN]]:
// OFTEN-NOT: br i1
// OFTEN: masked.load.v16i32
// OFTEN-NOT: br i1
// OFTEN: store <16 x i64>
// OFTEN: {{^}}[[SELDOM]]:
// OFTEN: br i1
// OFTEN: masked.load.v16i32
// OFTEN: store <16 x i64>

// Without an instruction that packs numbers, four are listed at once.
// BITS: define {{.*}}@skmd_kernel_pushes.limited(
// BITS-NOT: vector.compress
// BITS-COUNT-4: cttz.i64
// BITS-NOT: cttz
// BITS: ctpop.i64
// BITS: call void @llvm.prefetch.p0(
// BITS: {{^}}}
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

// The first place is not known: another load of the loop gives it, behind one that depends on the item only.
// NOWHERE: define {{.*}}@skmd_kernel_by_number.limited(
// NOWHERE-NOT: places
// NOWHERE-NOT: prefetch
// NOWHERE: alloca [2064 x i32]
// NOWHERE-NOT: prefetch
// NOWHERE: {{^}}}
kernel void by_number(global const int* ends, global const int* next, global const int* more, global int* counts) {
  const int i = get_global_id(0);
  for (int k = i; k < ends[i]; ++k) counts[more[next[k]]] = more[next[k] + 1];
}

// No item ends without an effect.
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
