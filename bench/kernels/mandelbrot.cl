// SPDX-License-Identifier: Apache-2.0
// How many steps a point of the plane stays near, at most `limit`: neighbours leave the loop at different times.
// Products are rounded before they are added, so that every device counts the same.
#pragma OPENCL FP_CONTRACT OFF

__kernel void mandelbrot(__global int* steps, int width, float left, float top, float pitch, int limit) {
  const int column = get_global_id(0);
  const int row = get_global_id(1);
  const float cx = left + pitch * column;
  const float cy = top + pitch * row;
  float x = 0.0f, y = 0.0f;
  int step = 0;
  while (step < limit) {
    const float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2.0f * x * y + cy;
    x = xx - yy + cx;
    ++step;
  }
  steps[row * width + column] = step;
}
