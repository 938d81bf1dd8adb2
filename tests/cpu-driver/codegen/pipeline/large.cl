// SPDX-License-Identifier: Apache-2.0
// A kernel of thousands of conditions is not made of vectors, which would take minutes; nor one of many regions.
// RUN: %skmd-compile --kernel conditions --emit remarks %s | %FileCheck %s
// RUN: %skmd-compile --kernel barriers --emit remarks %s | %FileCheck %s
// RUN: %skmd-compile --kernel few --emit remarks %s | %FileCheck --check-prefix=FEW %s

// CHECK: item by item: it is too large to be made vectors of in time
// CHECK-NOT: lanes
// FEW: region 0: {{[0-9]+}} lanes
#define FOUR(x) x x x x
#define MANY(x) FOUR(FOUR(FOUR(x)))
kernel void conditions(global int* out, global const int* in) {
  const int i = get_global_id(0);
  int a = in[i];
  MANY(FOUR(if (a & 1) a = a * 3 + in[a & 7]; else a = in[a & 3] - a;) a ^= 7; FOUR(if (a & 2) a = a * 5 + in[a & 9]; else a = in[a & 1] + a;))
  out[i] = a;
}

kernel void barriers(global int* out, local int* l) {
  const int x = get_local_id(0);
  int a = x, b = 1;
  MANY(FOUR(l[x] = a; a = l[x ^ 1] + b; b ^= a; a = a * b + 3;) barrier(CLK_LOCAL_MEM_FENCE); FOUR(l[x ^ 2] = a; a += l[x ^ 3];) barrier(CLK_LOCAL_MEM_FENCE);)
  out[get_global_id(0)] = a;
}

kernel void few(global int* out, global const int* in) {
  const int i = get_global_id(0);
  int a = in[i];
  FOUR(if (a & 1) a = a * 3 + in[a & 7]; else a = in[a & 3] - a;)
  out[i] = a;
}
