// SPDX-License-Identifier: Apache-2.0
// Cholesky factors of tiles: of each symmetric, positive definite tile A of 64 x 64 numbers the upper triangular U with
// A = Ut U, zeros below it. A group of four rows of 16 items factors a tile in local memory, row by row of U; an item has a
// column. Rows of items that are left of the diagonal have no sums to take off.
#define TILE 64
#define ROW 16

__kernel __attribute__((reqd_work_group_size(ROW, TILE / ROW, 1))) void cholesky(__global const double* tiles,
                                                                                  __global double* factors) {
  __local double u[TILE * TILE], rests[TILE];
  const int row = get_local_id(1), column = row * ROW + get_local_id(0);
  const size_t first = get_group_id(0) * (size_t)(TILE * TILE);
  for (int k = 0; k < TILE; ++k) {
    const double number = tiles[first + k * TILE + column];
    u[k * TILE + column] = column >= k ? number : 0.0;
  }

  for (int k = 0; k < TILE; ++k) {
    double rest = u[k * TILE + column];
    if (row >= k / ROW)
      for (int m = 0; m < k; ++m) rest -= u[m * TILE + k] * u[m * TILE + column];
    rests[column] = rest;
    barrier(CLK_LOCAL_MEM_FENCE);
    const double pivot = rests[k];
    if (row >= k / ROW) u[k * TILE + column] = column >= k ? rest / sqrt(pivot) : 0.0;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int k = 0; k < TILE; ++k) factors[first + k * TILE + column] = u[k * TILE + column];
}
