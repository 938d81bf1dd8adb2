// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// CHECK-LABEL: kernel halved
// CHECK: facts: none{{$}}
// CHECK: loop i0: {{.*}}, about log2((ulong)(n >>u 1)){{$}}
__kernel void halved(__global uint* c, uint n) {
  uint sum = 0;
  for (uint s = n / 2; s > 0; s >>= 1) sum ^= s * n;
  c[get_global_id(0)] = sum;
}
// The test is of this pass's counter: s > 31 lets another pass follow.
// CHECK-LABEL: kernel quartered
// CHECK: loop i0: {{.*}}, about log2((ulong)(n /u 32)*4) / 2{{$}}
__kernel void quartered(__global int* c, int n) {
  int sum = 0;
  for (int s = n; s >= 8; s /= 4) sum ^= s * n;
  c[get_global_id(0)] = sum;
}
// CHECK-LABEL: kernel doubled
// CHECK: loop i0: {{.*}}, about log2((ulong)(n - 1)){{$}}
__kernel void doubled(__global uint* c, uint n) {
  uint sum = 0;
  for (uint s = 1; s < n; s <<= 1) sum ^= s * n;
  c[get_global_id(0)] = sum;
}
// CHECK-LABEL: kernel times_four
// CHECK: loop i0: {{.*}}, about log2((ulong)(n /u 3)) / 2{{$}}
__kernel void times_four(__global int* c, int n) {
  int sum = 0;
  for (int s = 3; s <= n; s *= 4) sum ^= s * n;
  c[get_global_id(0)] = sum;
}
// Another way out: there may be fewer passes than the counter says.
// CHECK-LABEL: kernel left_early
// CHECK: facts: data_decides_work{{$}}
// CHECK-NOT: log2
__kernel void left_early(__global const uint* a, __global uint* c, uint n) {
  uint sum = 0;
  for (uint s = n / 2; s > 0; s >>= 1) {
    if (a[s] == 3) break;
    sum ^= s * n;
  }
  c[get_global_id(0)] = sum;
}
