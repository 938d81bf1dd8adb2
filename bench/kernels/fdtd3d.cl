// SPDX-License-Identifier: Apache-2.0
// One time step of a star-shaped stencil of RADIUS over a volume with a frame of RADIUS. A group owns a WIDTH x HEIGHT column
// and marches along z: the plane in local memory, the points before and behind in registers.
__kernel __attribute__((reqd_work_group_size(WIDTH, HEIGHT, 1))) void fdtd3d(
    __global const float* in, __global float* out, __constant float* weights, int size_x, int size_y, int size_z) {
  __local float plane[HEIGHT + 2 * RADIUS][WIDTH + 2 * RADIUS];
  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
  const int row = size_x + 2 * RADIUS;
  const int layer = row * (size_y + 2 * RADIUS);
  const int start = (int)(get_global_id(1) + RADIUS) * row + (int)get_global_id(0) + RADIUS;

  float line[2 * RADIUS + 1];
  for (int k = 0; k < 2 * RADIUS; ++k) line[k + 1] = in[start + k * layer];
  for (int z = 0; z < size_z; ++z) {
    const int here = start + (z + RADIUS) * layer;
    for (int k = 0; k < 2 * RADIUS; ++k) line[k] = line[k + 1];
    line[2 * RADIUS] = in[here + RADIUS * layer];

    barrier(CLK_LOCAL_MEM_FENCE);
    plane[ly + RADIUS][lx + RADIUS] = line[RADIUS];
    if (lx < RADIUS) {
      plane[ly + RADIUS][lx] = in[here - RADIUS];
      plane[ly + RADIUS][lx + WIDTH + RADIUS] = in[here + WIDTH];
    }
    if (ly < RADIUS) {
      plane[ly][lx + RADIUS] = in[here - RADIUS * row];
      plane[ly + HEIGHT + RADIUS][lx + RADIUS] = in[here + HEIGHT * row];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = weights[0] * line[RADIUS];
    for (int k = 1; k <= RADIUS; ++k) {
      sum += weights[k] * (line[RADIUS - k] + line[RADIUS + k] + plane[ly + RADIUS - k][lx + RADIUS] +
                           plane[ly + RADIUS + k][lx + RADIUS] + plane[ly + RADIUS][lx + RADIUS - k] +
                           plane[ly + RADIUS][lx + RADIUS + k]);
    }
    out[here] = sum;
  }
}
