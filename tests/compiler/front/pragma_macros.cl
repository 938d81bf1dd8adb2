// RUN: %skmd-compile --preprocess %s -DGIVEN=4 | %FileCheck %s
// RUN: %skmd-compile --describe %s -DGIVEN=4 | %FileCheck %s --check-prefix DESCRIBED
// RUN: %skmd-compile --rewrite %s -DGIVEN=4 > %t.cl && %skmd-compile --rewrite %t.cl | %FileCheck %s
// Macros in pragmas are replaced where Clang's handlers replace them: the text has lost them. Counts are literals, as far
// as they are made of literals.

#define TWICE(x) ((x) * 2)
#define WIDTH TWICE(2)
#define OPTION unroll_count
#define HOW full
#define BYTES 1
#define ALL fast
#define NOTHING
#define UNROLL_BY(n) _Pragma(#n)
#define UNROLLED(n) UNROLL_BY(unroll n)
#define ON OFF
#define cl_khr_fp64 EXTENSION
#define BYTES_PUSHED push, BYTES

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// CHECK: #pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT ON
// CHECK: #pragma OPENCL FP_CONTRACT ON
#pragma STDC FP_CONTRACT ON
// CHECK: #pragma STDC FP_CONTRACT ON

#pragma pack(BYTES_PUSHED)
// CHECK: #pragma pack(push, 1)
struct packed { char a; int b; };
#pragma pack(pop)
// CHECK: #pragma pack(pop)
// DESCRIBED: 'struct packed*'
// DESCRIBED: value 'struct packed' by_value: 5 bytes

enum { LANES = 4 };

kernel void k(global struct packed* s, struct packed by_value, global float* a) {
#pragma clang fp contract(ALL)
// CHECK: #pragma clang fp contract(fast)
#pragma unroll GIVEN
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma unroll 4
// CHECK-NEXT: for
#pragma unroll (GIVEN)
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma unroll 4
#pragma unroll TWICE(4)
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma unroll 8
#pragma unroll GIVEN > 2 ? 16 / GIVEN : (1 << 3) // a comment
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma unroll 4
#pragma unroll TWICE(LANES)
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma unroll ((LANES) * 2)
#pragma unroll NOTHING
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma unroll{{$}}
#pragma unroll
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma unroll{{$}}
#pragma nounroll
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma nounroll{{$}}
#pragma GCC unroll GIVEN
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma GCC unroll 4
#pragma clang loop OPTION(GIVEN) vectorize_width(WIDTH) interleave_count(TWICE(1))
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma clang loop unroll_count(4) vectorize_width(4) interleave_count(2)
// CHECK-NEXT: for
#pragma clang loop vectorize_width(WIDTH, fixed) unroll(HOW)
  for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma clang loop vectorize_width(4, fixed) unroll(full)
  _Pragma("unroll GIVEN") for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma unroll 4
// CHECK-NEXT: for
  UNROLLED(GIVEN) for (int i = 0; i < 8; ++i) a[i] = 0;
// CHECK: #pragma unroll 4
// CHECK-NEXT: for
  a[0] = get_group_id(0);
}
