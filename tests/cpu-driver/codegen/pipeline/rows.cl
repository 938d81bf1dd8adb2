// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --kernel sums --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=FOUR
// RUN: %skmd-compile --kernel sums --emit remarks --isa avx512 --width 8 %s | %FileCheck %s --check-prefix=FOUR
// RUN: %skmd-compile --kernel sums --emit vector-llvm --isa avx512 %s | %FileCheck %s
// RUN: %skmd-compile --kernel many --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=TWO
// RUN: %skmd-compile --kernel many --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=ONE
// RUN: %skmd-compile --kernel triangle --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=ONE
// RUN: %skmd-compile --kernel unknown --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=ONE
// RUN: %skmd-compile --kernel part --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=ONE
// RUN: %skmd-compile --kernel counted --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=ONE
// RUN: %skmd-compile --kernel odd --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=ONE

// RUN: %skmd-compile --kernel columns --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=VECTORS
// RUN: %skmd-compile --kernel columns --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=COLUMNS
// RUN: %skmd-compile --kernel doubles --emit remarks --isa avx512 --width 16 %s | %FileCheck %s --check-prefix=VECTORS
// RUN: %skmd-compile --kernel streamed --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=STREAMED
// RUN: %skmd-compile --kernel streamed --emit vector-llvm --isa avx512 %s | %FileCheck %s --check-prefix=SIXTEEN
// RUN: %skmd-compile --kernel streamed --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=VECTORS
// RUN: %skmd-compile --kernel few --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=VECTORS
// RUN: %skmd-compile --kernel divergent --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=ALONE
// RUN: %skmd-compile --kernel shortest --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=ALONE
// RUN: %skmd-compile --kernel large --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=ALONE
// RUN: %skmd-compile --kernel lines --emit remarks --isa avx512 %s | %FileCheck %s --check-prefix=ALONE
// RUN: %skmd-compile --kernel lines --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=PAIRS
// RUN: %skmd-compile --kernel lines --emit vector-llvm --isa avx2 %s | %FileCheck %s --check-prefix=LINES
// RUN: %skmd-compile --kernel lines --emit remarks --isa sse %s | %FileCheck %s --check-prefix=FOURS
// RUN: %skmd-compile --kernel short_lines --emit remarks --isa avx2 %s | %FileCheck %s --check-prefix=ALONE

// PAIRS: region 0: 2 vectors at once
// FOURS: region 0: 4 vectors at once
// VECTORS-NOT: 16 vectors
// VECTORS: region 0: 4 vectors at once
// STREAMED: region 0: 16 vectors at once
// STREAMED: region 0: 4 vectors at once
// ALONE-NOT: vectors at once
// FOUR: region 0: 4 rows at once
// TWO: region 0: 2 rows at once
// ONE-NOT: rows at once

// Four rows' sums side by side, of what is loaded once.
// CHECK-LABEL: define {{.*}}@skmd_kernel_sums.limited(
// CHECK: phi <16 x float>
// CHECK-NEXT: phi <16 x float>
// CHECK-NEXT: phi <16 x float>
// CHECK-NEXT: phi <16 x float>
// CHECK: load <16 x float>
// CHECK-NOT: load <16 x float>
// CHECK: br i1
#define ROWS(x, y) kernel __attribute__((reqd_work_group_size(x, y, 1))) void

ROWS(16, 4) sums(global const float* in, global float* out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i * 16 + get_local_id(0)] * get_local_id(1);
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

// Eight sums of a row are half of 16 registers, and a quarter of 32.
ROWS(16, 4) many(global const float* in, global float* out, int n) {
  float a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
  for (int i = 0; i < n; ++i) {
    const float v = in[i * 16 + get_local_id(0)] * get_local_id(1);
    a += v, b -= v, c += v * 2, d += v * 3, e -= v * 5, f += v * 7, g += v * v, h -= v * v;
  }
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = a * b + c * d + e * f + g * h;
}

// Rows leave the loop at different times.
ROWS(16, 4) triangle(global const float* in, global float* out) {
  float sum = 0;
  for (int i = 0; i < get_local_id(1); ++i) sum += in[i * 16 + get_local_id(0)];
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

// There may be one row.
kernel void unknown(global const float* in, global float* out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i * 16 + get_local_id(0)] * get_local_id(1);
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

// Rows end with a part of a vector.
ROWS(20, 4) part(global const float* in, global float* out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i * 16 + get_local_id(0)] * get_local_id(1);
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

// Who counts first gets the smaller number.
ROWS(16, 4) counted(global int* in, global int* out, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += atomic_inc(in) * get_local_id(1);
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

ROWS(16, 3) odd(global const float* in, global float* out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i * 16 + get_local_id(0)] * get_local_id(1);
  out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = sum;
}

// Four vectors of a row side by side: what is next to each other is asked for all of them at once.
// COLUMNS-LABEL: define {{.*}}@skmd_kernel_columns.limited(
// COLUMNS: phi <16 x float>
// COLUMNS-NEXT: phi <16 x float>
// COLUMNS-NEXT: phi <16 x float>
// COLUMNS-NEXT: phi <16 x float>
// COLUMNS-COUNT-4: load <16 x float>
// COLUMNS-NOT: llvm.masked.gather
// COLUMNS: br i1
kernel void columns(global const float* in, global float* out, int n) {
  const int l = get_local_id(0), size = get_local_size(0);
  const int first = get_group_id(0) * (size * n) + l;
  local float last[1];
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[first + i * size] * last[0];
  out[get_global_id(0)] = sum;
}

// Two registers for each sum.
kernel void doubles(global const double* in, global double* out, int n) {
  const int l = get_local_id(0), size = get_local_size(0);
  const int first = get_group_id(0) * (size * n) + l;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += in[first + i * size];
  out[get_global_id(0)] = sum;
}

// Sixteen, where the loop reads large memory in order. What asks whether lanes are next to each other stands before it.
// SIXTEEN-LABEL: define {{.*}}@skmd_kernel_streamed.limited(
// SIXTEEN: phi <16 x float>
// SIXTEEN-COUNT-15: phi <16 x float>
// SIXTEEN-NOT: phi <16 x float>
// SIXTEEN-COUNT-32: load <16 x float>
// SIXTEEN-NOT: {{load <16 x float>|llvm.masked.gather}}
// SIXTEEN: br i1
kernel void streamed(global const float* in, global float* out, int n) {
  const int l = get_local_id(0), size = get_local_size(0);
  const int first = get_group_id(0) * (size * n) + l;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[first + i * 2 * size] + in[first + i * 2 * size + size];
  out[get_global_id(0)] = sum;
}

// A row is eight vectors.
ROWS(128, 1) few(global const float* in, global float* out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i * 128 + get_local_id(0)];
  out[get_global_id(0)] = sum;
}

// Items leave at different times.
kernel void divergent(global const float* in, global float* out) {
  float sum = 0;
  for (int i = 0; i < get_local_id(0); ++i) sum += in[i * 16];
  out[get_global_id(0)] = sum;
}

// A row is one vector.
ROWS(16, 1) shortest(global const float* in, global float* out, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i * 16 + get_local_id(0)];
  out[get_global_id(0)] = sum;
}

// Private memory of four would be much of a thread's stack.
kernel void large(global const float* in, global float* out, int n) {
  float kept[256], sum = 0;
  for (int i = 0; i < 256; ++i) kept[i] = in[i * n];
  for (int i = 0; i < n; ++i) sum += kept[(i * n) & 255];
  out[get_global_id(0)] = sum;
}

// Each turn writes a line of 64 bytes further: vectors that are less fill it together.
// LINES-LABEL: define {{.*}}@skmd_kernel_lines.limited(
// LINES: store <8 x float> {{.*}}, ptr addrspace(1)
// LINES-NOT: br
// LINES: store <8 x float> {{.*}}, ptr addrspace(1)
kernel void lines(global const uint* in, global float* out, int stride, int n) {
  const uint first = in[get_global_id(0)];
  for (int i = 0; i < n; ++i) out[i * stride + get_global_id(0)] = (float)(first >> i);
}

// No loop writes: nothing is to be filled.
kernel void short_lines(global const uint* in, global float* out) { out[get_global_id(0)] = (float)in[get_global_id(0)]; }
