// SPDX-License-Identifier: Apache-2.0
// Trees over local memory: neighbouring groups are lanes, and what they access is one whole vector.
// RUN: %skmd-compile --kernel sums --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=REMARKS
// RUN: %skmd-compile --kernel sums --emit vector-llvm --isa avx512 %s | %FileCheck %s
// RUN: %skmd-compile --kernel sums --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=ITEMS
// RUN: %skmd-compile --kernel sums --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefixes=SIXTEEN,EIGHT
// RUN: %skmd-compile --kernel sums --emit vector-llvm --isa sse %s | %FileCheck %s --check-prefixes=SIXTEEN,FOUR
// RUN: %skmd-compile --kernel sums --emit asm --isa avx2 %s | %FileCheck %s --check-prefix=ASM
// RUN: %skmd-compile --kernel rows --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel powers --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel estimates --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel sums --emit remarks --isa avx512 %s -cl-fast-relaxed-math | %FileCheck %s --check-prefix=NONE
// RUN: %skmd-compile --kernel stages --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=ONCE
// RUN: %skmd-compile --kernel keeps --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NONE

// REMARKS: lanes are loaded one by one
// REMARKS-NOT: region 0: 16 groups
// REMARKS: region 1: 16 groups as lanes
// REMARKS-NOT: groups as lanes
// NONE-NOT: groups as lanes

// Group by group what is in large memory; all local memory is transposed; then whole vectors, without masks.
// CHECK: @skmd_facts_sums = constant {{.*}} i32 16, i32 0, i32 16, i32 0 }
// CHECK: define {{.*}}@skmd_kernel_sums.lanes(
// CHECK: load <16 x i32>
// CHECK: shufflevector <16 x i32>
// CHECK: store <16 x i32>
// CHECK: fadd <16 x float>
// CHECK-NOT: masked.gather
// CHECK: define {{.*}}@skmd_kernel_sums(

// As many groups with shorter registers, whose transposition is by what these hold.
// SIXTEEN: @skmd_facts_sums = constant {{.*}} i32 16, i32 0 }
// SIXTEEN: define {{.*}}@skmd_kernel_sums.lanes(
// EIGHT: shufflevector <8 x i32>
// FOUR: shufflevector <4 x i32>
// SIXTEEN-NOT: shufflevector <16 x i32>
// SIXTEEN: fadd <16 x float>

// Elements of two rows alternate by one instruction, and no blend follows a shuffle.
// ASM-LABEL: skmd_kernel_sums.lanes:
// ASM: vunpcklps
// ASM-NOT: vblendps
// ASM: vaddps

// Items that run have a loop that does not ask whether they do: what is left of one is its sum and its end.
// ITEMS-LABEL: define {{.*}}@skmd_kernel_sums.lanes(
// ITEMS: [[LOOP:item[0-9]*.full]]:
// ITEMS-NOT: br i1
// ITEMS: fadd <16 x float>
// ITEMS: br i1 {{.*}}label %[[LOOP]]
kernel void sums(global float* x, local float* tree, int n) {
  const int l = get_local_id(0);
  tree[l] = x[get_global_id(0)];
  for (int step = 1; step < n; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < n / (2 * step)) tree[2 * step * l] += tree[2 * step * l + step];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = tree[l];
}

// Neighbouring items have neighbouring places.
kernel void rows(global float* x, local float* tree, int n) {
  const int l = get_local_id(0);
  tree[l] = x[get_global_id(0)];
  for (int step = n / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < step) tree[l] += tree[l + step];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = tree[l];
}

// What a builtin gives might depend on how many groups run.
kernel void powers(global float* x, local float* tree, int n) {
  const int l = get_local_id(0);
  tree[l] = x[get_global_id(0)];
  for (int step = 1; step < n; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % (2 * step) == 0) tree[l * step] += pow(tree[l * step], tree[0]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = tree[l];
}

// So might what is estimated: one number is by another instruction than sixteen.
kernel void estimates(global float* x, local float* tree, int n) {
  const int l = get_local_id(0);
  tree[l] = x[get_global_id(0)];
  for (int step = 1; step < n; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < n / (2 * step)) tree[2 * step * l] = native_rsqrt(fabs(tree[step])) + tree[2 * step * l + step];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = tree[l];
}

// All ways from one layout to the other share the code: eight of a transposition's shuffles are such.
// ONCE-LABEL: define {{.*}}@skmd_kernel_stages.lanes(
// ONCE-COUNT-16: <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16
// ONCE-NOT: <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 16
// ONCE: define {{.*}}@skmd_kernel_stages(
kernel void stages(global int* x, local int* tree, int n, int mask) {
  const int l = get_local_id(0), i = get_global_id(0);
  tree[l] = x[i];
  for (int stage = 0; stage < 2; ++stage) {
    if (mask & (1 << stage)) {
      for (int step = 1; step < n; step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n / (2 * step)) tree[2 * step * l] += tree[2 * step * l + step];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = tree[l];
  for (int step = 1; step < n; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < n / (2 * step)) tree[2 * step * l] ^= tree[2 * step * l + step];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] += tree[l];
}

// Items keep something of their own.
kernel void keeps(global float* x, local float* tree, int n) {
  const int l = get_local_id(0);
  float mine = x[get_global_id(0)];
  for (int step = 1; step < n; step *= 2) {
    tree[l] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    mine += tree[l * step];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  x[get_global_id(0)] = mine;
}
