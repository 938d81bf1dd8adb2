// SPDX-License-Identifier: Apache-2.0
// RUN: %skmd-compile --opencl-c %s >%t && %FileCheck %s <%t && %skmd-compile --describe %t >/dev/null
// Arguments have the types that choose the program's overload.

// CHECK-LABEL: kernel void overloads(
// CHECK: max((int)p_a, (int)p_b)
// CHECK: max((uint)p_a, (uint)p_b)
// CHECK: mad_sat((short){{.*}}, (short){{.*}}, (short)
// CHECK: sqrt((float)p_x)
// CHECK: frexp((float)p_x, (private int*)
kernel void overloads(global int* out, int a, int b, float x, short s) {
  out[0] = max(a, b);
  out[1] = max((uint)a, (uint)b);
  out[2] = mad_sat(s, (short)3, s);
  out[3] = (int)sqrt(x);
  int exponent;
  out[4] = (int)(frexp(x, &exponent) * 8);
  out[5] = exponent;
}

// CHECK: constant sampler_t skmd6_images_sampler_20 = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
// CHECK: kernel void images(read_only image2d_t p_in, write_only image2d_t p_out, sampler_t p_s) {
// CHECK: write_imagef(p_out,
constant sampler_t nearest = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void images(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, s, at) + read_imagef(in, nearest, at));
}

// CHECK-LABEL: kernel void texts(
// CHECK: printf("%d \042%s\042\012", {{.*}}, "a (b"));
kernel void texts(global int* out) { printf("%d \"%s\"\n", out[0], "a (b"); }

// No type half, which needs an extension.
// CHECK: ushort skmd6_halves_half_rtz_float(float number) {
// CHECK-LABEL: kernel void halves(
// CHECK: vload_half(0, (global half*)
kernel void halves(global half* h, global float* out) {
  out[0] = vload_half(3, h);
  vstore_half_rtz(out[1], 4, h);
}
