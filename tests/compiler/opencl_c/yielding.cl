// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --opencl-c --yielding long %s >%t && %FileCheck %s <%t && %skmd-compile --describe %t >/dev/null
// The form with yield points: two more parameters, and a word that is read in each iteration that looks at it.

// CHECK: kernel void alone(global uchar* p_out, float p_step, uint p_most, global uchar* p_skmd_state, global uchar* p_skmd_control) {
// CHECK: = *(volatile global skmd_uint_any*)p_skmd_control;
kernel void alone(global uint* out, float step, uint most) {
  float x = get_global_id(0) * step, y = 0;
  uint n = 0;
  while (n < most && x * x + y * y < 4.0f) {
    float t = x * x - y * y + step;
    y = 2 * x * y + step;
    x = t;
    ++n;
  }
  out[get_global_id(0)] = n;
}
