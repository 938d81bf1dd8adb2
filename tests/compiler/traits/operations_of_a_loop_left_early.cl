// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// A way out leaves the counter as it is and joins the other way before it leaves: the limit is known all the same.
// CHECK-LABEL: kernel joined
// CHECK: facts: uses_float data_decides_work{{$}}
// CHECK: loop i0: 0 to 0 < (long)limit ? (long)limit : 0 at most{{$}}
// CHECK: operations: {{[0-9]+}} in i0
__kernel void joined(__global int* c, float step, int limit) {
  const float cx = step * get_global_id(0);
  float x = 0.0f, y = 0.0f;
  int n = 0;
  while (n < limit) {
    const float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2.0f * x * y + step;
    x = xx - yy + cx;
    ++n;
  }
  c[get_global_id(0)] = n;
}
// The same as a choice of two values; downwards, by two.
// CHECK-LABEL: kernel chosen
// CHECK: loop i0: 0 to 0 < (long)limit ? ((long)limit + 1) /u 2 : 0 at most{{$}}
__kernel void chosen(__global int* c, float step, int limit) {
  float x = step;
  int n = limit;
  while (n > 0) {
    const float xx = x * x;
    if (xx > 4.0f) break;
    x = xx + step;
    n -= 2;
  }
  c[get_global_id(0)] = n;
}
// An unsigned counter might wrap where its step leads beyond the type's last value: the launch is asked.
// CHECK-LABEL: kernel wraps
// CHECK: loop i0: 0 to {{.*}} -1 at most{{$}}
__kernel void wraps(__global uint* c, float step, uint limit) {
  float x = step, y = 0.0f;
  uint n = 0;
  while (n < limit) {
    const float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2.0f * x * y + step;
    x = xx - yy + step;
    n += 3;
  }
  c[get_global_id(0)] = n;
}
// It stays as it is and the loop goes on: no limit.
// CHECK-LABEL: kernel stays
// CHECK: loop i0: 0 to any{{$}}
__kernel void stays(__global int* c, float step, int limit) {
  float x = step, y = 0.0f;
  int n = 0;
  while (n < limit) {
    const float xx = x * x, yy = y * y;
    if (xx + yy < 0.5f) break;
    y = 2.0f * x * y + step;
    x = xx - yy + step;
    if (xx + yy > 4.0f) continue;
    ++n;
  }
  c[get_global_id(0)] = n;
}
// It moves by different steps: no limit is looked for.
// CHECK-LABEL: kernel uneven
// CHECK: loop i0: 0 to any{{$}}
__kernel void uneven(__global int* c, float step, int limit) {
  float x = step, y = 0.0f;
  int n = 0;
  while (n < limit) {
    const float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2.0f * x * y + step;
    x = xx - yy + step;
    n += x > 1.0f ? 3 : -1;
  }
  c[get_global_id(0)] = n;
}
