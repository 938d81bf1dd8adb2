// SPDX-License-Identifier: Apache-2.0
// One step of heat flow in a cube of n·n·n, z slowest; the outermost layers stand for what lies beyond them.
__kernel void stencil3d(__global const float* in, __global float* out, int n, float rate) {
  const int x = get_global_id(0);
  const int y = get_global_id(1);
  const int z = get_global_id(2);
  const int last = n - 1;
  const int row = (z * n + y) * n;
  const float here = in[row + x];
  const float around = in[row + max(x - 1, 0)] + in[row + min(x + 1, last)] + in[(z * n + max(y - 1, 0)) * n + x] +
                       in[(z * n + min(y + 1, last)) * n + x] + in[(max(z - 1, 0) * n + y) * n + x] +
                       in[(min(z + 1, last) * n + y) * n + x];
  out[row + x] = here + rate * (around - 6.0f * here);
}
