// SPDX-License-Identifier: Apache-2.0
// Integrals over [0, 1] by adaptive quadrature: an interval is halved until two trapezoids agree with one. How often depends on
// the data: on how steep the function is, and on how accurate its integral is to be.
#define DEPTH 24

// f.x / (x + f.y) + f.w·x
float integrand(float x, float4 f) { return f.x / (x + f.y) + f.w * x; }

// functions[i].z: how far the trapezoids may be apart, relative to the area under them. The stack holds where the intervals left
// to do end, the rightmost lowest, and the function there: each begins where the one above it ends.
__kernel void quadrature(__global const float4* functions, __global float* areas, int count) {
  float ends[DEPTH + 1], at_ends[DEPTH + 1];
  const int item = get_global_id(0);
  if (item >= count) return;
  const float4 f = functions[item];
  float begin = 0.0f, at_begin = integrand(0.0f, f), area = 0.0f;
  int top = 0;
  ends[0] = 1.0f;
  at_ends[0] = integrand(1.0f, f);
  while (top >= 0) {
    const float end = ends[top], at_end = at_ends[top], width = end - begin;
    const float middle = begin + 0.5f * width, at_middle = integrand(middle, f);
    const float coarse = 0.5f * (at_begin + at_end) * width;
    const float fine = 0.5f * (coarse + at_middle * width);
    if (top == DEPTH || fabs(coarse - fine) <= f.z * fine) {
      area += fine + (fine - coarse) / 3.0f;
      begin = end;
      at_begin = at_end;
      --top;
    } else {
      ++top;
      ends[top] = middle;
      at_ends[top] = at_middle;
    }
  }
  areas[item] = area;
}
