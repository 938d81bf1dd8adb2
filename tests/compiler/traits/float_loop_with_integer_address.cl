// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --explain %s | %FileCheck %s
// Mandelbrot: the number of rounds is a value, not an address.
__kernel void k(__global int* out, float step) {
  // CHECK: facts: uses_float
  size_t i = get_global_id(0);
  float x = 0, y = 0, cx = step * i;
  int n = 0;
  while (x * x + y * y < 4.0f && n < 200) {
    float t = x * x - y * y + cx;
    y = 2 * x * y;
    x = t;
    ++n;
  }
  out[i] = n;
  // CHECK: write arg 0 (out) [global_id(0)*4] 4 bytes surely
}
