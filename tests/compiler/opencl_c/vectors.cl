// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --opencl-c %s >%t && %FileCheck %s <%t && %skmd-compile --describe %t >/dev/null

// CHECK-LABEL: kernel void elements(global uchar* p_v, uint p_i)
// CHECK: [[V:v[0-9]+]] = *(global skmd_float4_any*)p_v;
// CHECK: [1] = [[V]].s3210;
// CHECK: [2] = (float4)({{.*}}.s1, 0x1p0f, {{.*}});
kernel void elements(global float4* v, uint i) {
  float4 a = v[0];
  v[1] = a.wzyx;
  v[2] = (float4)(a.y, 1.0f, a.x, a.x);
}

// CHECK-LABEL: kernel void masks(
// CHECK: select(
kernel void masks(global int4* v) { v[0] = v[1] < v[2] ? v[3] : v[4]; }

// CHECK-LABEL: kernel void conversions(
// CHECK: convert_uint4(
// CHECK: as_uint4(convert_int4(
kernel void conversions(global uint4* v, global ushort4* s, global float4* f) {
  v[0] = convert_uint4(s[0]);
  v[1] = as_uint4(convert_int4(f[0]));
}
