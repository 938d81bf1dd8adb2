// SPDX-License-Identifier: Apache-2.0
// Whole lines of results that are not read are stored past the caches in large launches.
// RUN: %skmd-compile --kernel sum --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=YES
// RUN: %skmd-compile --kernel sum --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=PARTS
// RUN: %skmd-compile --kernel sum --emit vector-llvm --isa sse %s | %FileCheck %s --check-prefix=QUARTERS
// RUN: %skmd-compile --kernel turns --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel small --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel many --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel in_place --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel strided --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel small --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel shared --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel again --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=NO
// RUN: %skmd-compile --kernel sum --emit vector-llvm --isa avx512 %s | %FileCheck %s
// RUN: %skmd-compile --kernel turns --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=TURNS
// RUN: %skmd-compile --kernel unknown --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=UNKNOWN

// YES: large results are stored past the caches
// NO: has code
// NO-NOT: past the caches

// Without AVX-512 the loop fills a line in some turns.
// PARTS-LABEL: define {{.*}}@skmd_kernel_sum.limited(
// PARTS: call void @llvm.x86.sse.sfence()
// PARTS: and i64 %{{.*}}, 31
// PARTS: store <8 x float> {{.*}}, align 32, {{.*}}!nontemporal
// PARTS: store <8 x float> {{.*}}, align 4
// QUARTERS-LABEL: define {{.*}}@skmd_kernel_sum.limited(
// QUARTERS: store <4 x float> {{.*}}, align 16, {{.*}}!nontemporal

// CHECK-LABEL: define {{.*}}@skmd_kernel_sum.limited(
// CHECK: mul i64
// CHECK: icmp uge i64 {{.*}}, 4194304
// CHECK: call void @llvm.x86.sse.sfence()
// CHECK-NEXT: ret void
// CHECK: and i64 %{{.*}}, 63
// CHECK: store <16 x float> {{.*}}, align 64, {{.*}}!nontemporal
// CHECK: store <16 x float> {{.*}}, align 4
kernel void sum(global const float* a, global const float* b, global float* c) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}

// An item has a result for each turn of its loop, where that can be told before.
// TURNS-LABEL: define {{.*}}@skmd_kernel_turns.limited(
// TURNS: [[TURNS:%[0-9]+]] = add i64 %umin{{[0-9]*}}, 1
// TURNS-NEXT: [[ALL:%[0-9]+]] = mul i64 {{%[0-9]+}}, [[TURNS]]
// TURNS-NEXT: icmp uge i64 [[ALL]], 4194304
// TURNS: store <16 x i32> {{.*}}, align 64, {{.*}}!nontemporal
kernel void turns(global int* b, int stride, int n) {
  const int item = get_global_id(0);
  for (int i = 0; i < n; ++i) b[item + i * stride] = i ^ item;
}
// UNKNOWN-LABEL: define {{.*}}@skmd_kernel_unknown.limited(
// UNKNOWN: icmp uge i64 {{.*}}, 4194304
// UNKNOWN-NOT: icmp uge i64 {{.*}}, 4194304
// UNKNOWN: store <16 x i32> {{.*}}, align 64, {{.*}}!nontemporal
kernel void unknown(global int* b, global const int* go_on, int stride) {
  const int item = get_global_id(0);
  for (int i = 0; go_on[i] != 0; ++i) b[item + i * stride] = i ^ item;
}

kernel void in_place(global float* a) { a[get_global_id(0)] += 1; }
kernel void strided(global const float* a, global float* b) { b[3 * get_global_id(0)] = a[get_global_id(0)]; }
kernel void small(global const uchar* a, global uchar* b) { b[get_global_id(0)] = a[get_global_id(0)] + 1; }
kernel void shared(global const float* a, global float* b, local float* l) {
  l[get_local_id(0)] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  b[get_global_id(0)] = l[get_local_id(0) ^ 1];
}
kernel void again(global const float* a, global float* b, int n) {
  const int i = get_global_id(0);
  for (int k = 0; k < n; ++k) b[i] += a[k];
}
kernel void many(global const float* a, global float* b, global float* c, global float* d, global float* e, global float* f) {
  const size_t i = get_global_id(0);
  b[i] = a[i] + 1, c[i] = a[i] + 2, d[i] = a[i] + 3, e[i] = a[i] + 4, f[i] = a[i] + 5;
}
