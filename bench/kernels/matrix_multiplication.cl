// SPDX-License-Identifier: Apache-2.0
// C = A·B, square and row-major. A group of 16 x 16 computes a tile of 32 x 32, four entries to a work-item, from tiles of
// A and B in local memory.
#define TILE 32
#define HALF 16

__kernel __attribute__((reqd_work_group_size(HALF, HALF, 1))) void matrix_multiplication(__global const float* a,
                                                                                          __global const float* b,
                                                                                          __global float* c, int n) {
  __local float a_tile[TILE][TILE + 1];
  __local float b_tile[TILE][TILE + 1];
  const int lx = get_local_id(0);
  const int ly = get_local_id(1);
  const int row = get_group_id(1) * TILE + ly;
  const int column = get_group_id(0) * TILE + lx;

  float top_left = 0.0f, top_right = 0.0f, bottom_left = 0.0f, bottom_right = 0.0f;
  for (int k = 0; k < n; k += TILE) {
    a_tile[ly][lx] = a[row * n + k + lx];
    a_tile[ly][lx + HALF] = a[row * n + k + lx + HALF];
    a_tile[ly + HALF][lx] = a[(row + HALF) * n + k + lx];
    a_tile[ly + HALF][lx + HALF] = a[(row + HALF) * n + k + lx + HALF];
    b_tile[ly][lx] = b[(k + ly) * n + column];
    b_tile[ly][lx + HALF] = b[(k + ly) * n + column + HALF];
    b_tile[ly + HALF][lx] = b[(k + ly + HALF) * n + column];
    b_tile[ly + HALF][lx + HALF] = b[(k + ly + HALF) * n + column + HALF];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < TILE; ++i) {
      const float top = a_tile[ly][i];
      const float bottom = a_tile[ly + HALF][i];
      const float left = b_tile[i][lx];
      const float right = b_tile[i][lx + HALF];
      top_left += top * left;
      top_right += top * right;
      bottom_left += bottom * left;
      bottom_right += bottom * right;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + column] = top_left;
  c[row * n + column + HALF] = top_right;
  c[(row + HALF) * n + column] = bottom_left;
  c[(row + HALF) * n + column + HALF] = bottom_right;
}
