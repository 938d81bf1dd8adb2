// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --opencl-c %s >%t && %FileCheck %s <%t && %skmd-compile --describe %t >/dev/null
// RUN: %skmd-compile --opencl-c %s >%t.2 && cmp %t %t.2
// Integers are unsigned, with casts where an operation is signed; floats are exact.

// CHECK-LABEL: kernel void integers(global uchar* p_out, uint p_a, uint p_b, uchar p_c)
// CHECK: = {{.*}}((int)p_a) / ((int)p_b)
// CHECK: = p_a / p_b;
// CHECK: = {{.*}}((int)p_a) >> 3
// CHECK: = p_a >> 3u;
// CHECK: = {{.*}}((int)p_a) < ((int)p_b)
// CHECK: ((uchar)((uint)p_c * p_c))
// CHECK: (ulong)(((long)((int)p_a)))
kernel void integers(global uint* out, int a, int b, uchar c) {
  out[0] = a / b;
  out[1] = (uint)a / (uint)b;
  out[2] = a >> 3;
  out[3] = (uint)a >> 3;
  out[4] = a < b;
  out[5] = (uchar)(c * c);
  ((global ulong*)out)[6] = a;
}

// CHECK-LABEL: kernel void comparisons(
// CHECK: !(p_a >= p_b)
// CHECK: p_a != p_b
// CHECK: p_a < p_b
kernel void comparisons(global int* out, float a, float b) {
  out[0] = !(a >= b);
  out[1] = a != b;
  out[2] = a < b;
}

// CHECK-LABEL: kernel void numbers(
// CHECK-DAG: 0x1.8p0f
// CHECK-DAG: as_float(512u)
// CHECK-DAG: as_float(0x7f800000u)
// CHECK-DAG: as_float(0x80000000u)
// CHECK-DAG: as_double(0x3ff8000000000000ul)
kernel void numbers(global float* out, global double* more) {
  out[0] = 1.5f;
  out[1] = 0x1p-140f;
  out[2] = INFINITY;
  out[3] = -0.0f;
  more[0] = 1.5;
}
