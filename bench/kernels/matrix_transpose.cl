// SPDX-License-Identifier: Apache-2.0
// A group of TILE x ROWS turns a tile of TILE x TILE over in local memory, so that rows are read and written whole. The extra
// column keeps the turned tile free of bank conflicts.
#define TILE 32
#define ROWS 8

__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void matrix_transpose(__global const float* in,
                                                                                     __global float* out, int width,
                                                                                     int height) {
  __local float tile[TILE][TILE + 1];
  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
  const int left = get_group_id(0) * TILE;
  const int top = get_group_id(1) * TILE;

  for (int k = 0; k < TILE; k += ROWS) tile[ly + k][lx] = in[(top + ly + k) * width + left + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < TILE; k += ROWS) out[(left + ly + k) * height + top + lx] = tile[lx][ly + k];
}
