// SPDX-License-Identifier: Apache-2.0
// C = op(A)·op(B) for square row-major matrices whose order is a multiple of 64, op being nothing or transposition. A group of 16×16
// items makes a tile of 64×64; an item has every 16th row and column of it in registers. Tiles of 16 columns of op(A) and 16 rows of
// op(B) pass through local memory.
#define TILE 64
#define DEPTH 16
#define EACH 4

// Brings op(M)[row .. row+64][column .. column+16] to tile[column][row], the transposed one of op(M) likewise.
void fetch(__global const float* m, __local float* tile, const int by_rows, uint across, uint along, uint n) {
  const uint item = get_local_id(1) * DEPTH + get_local_id(0);
  #pragma unroll
  for (uint i = 0; i < TILE * DEPTH / 256; ++i) {
    const uint place = item + i * 256;
    if (by_rows) {
      const uint x = place % DEPTH, y = place / DEPTH;
      tile[x * (TILE + 1) + y] = m[(across + y) * n + along + x];
    } else {
      const uint x = place % TILE, y = place / TILE;
      tile[y * (TILE + 1) + x] = m[(along + y) * n + across + x];
    }
  }
}

void multiply(__global const float* a, __global const float* b, __global float* c, __local float* rows,
              __local float* columns, const int a_by_rows, const int b_by_rows, uint n) {
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;
  float sums[EACH][EACH];
  #pragma unroll
  for (uint i = 0; i < EACH; ++i) {
    #pragma unroll
    for (uint j = 0; j < EACH; ++j) sums[i][j] = 0.0f;
  }
  for (uint along = 0; along < n; along += DEPTH) {
    fetch(a, rows, a_by_rows, top, along, n);
    fetch(b, columns, b_by_rows, left, along, n);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (uint k = 0; k < DEPTH; ++k) {
      float row[EACH], column[EACH];
      #pragma unroll
      for (uint i = 0; i < EACH; ++i) {
        row[i] = rows[k * (TILE + 1) + y + 16 * i];
        column[i] = columns[k * (TILE + 1) + x + 16 * i];
      }
      #pragma unroll
      for (uint i = 0; i < EACH; ++i) {
        #pragma unroll
        for (uint j = 0; j < EACH; ++j) sums[i][j] = fma(row[i], column[j], sums[i][j]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  #pragma unroll
  for (uint i = 0; i < EACH; ++i) {
    #pragma unroll
    for (uint j = 0; j < EACH; ++j) c[(top + y + 16 * i) * n + left + x + 16 * j] = sums[i][j];
  }
}

#define PRODUCT(name, a_by_rows, b_by_rows)                                                                 \
  __kernel __attribute__((reqd_work_group_size(16, 16, 1))) void name(                                      \
      __global const float* a, __global const float* b, __global float* c, uint n) {                        \
    __local float rows[DEPTH * (TILE + 1)], columns[DEPTH * (TILE + 1)];                                    \
    multiply(a, b, c, rows, columns, a_by_rows, b_by_rows, n);                                              \
  }

PRODUCT(multiply_nn, 1, 0)
PRODUCT(multiply_nt, 1, 1)
PRODUCT(multiply_tn, 0, 0)
PRODUCT(multiply_tt, 0, 1)
