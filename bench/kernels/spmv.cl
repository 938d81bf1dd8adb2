// SPDX-License-Identifier: Apache-2.0
// y = A·x for a sparse matrix in compressed rows: row r has the values[k] in columns[k] for k from first[r] to first[r + 1]. A
// team of neighbouring work-items takes every so many of a row's values, then adds up: dimension 0 is the team, dimension 1
// the row. Local memory holds a number of each work-item.
__kernel void spmv(__global const int* first, __global const int* columns, __global const float* values,
                   __global const float* x, __global float* y, int rows, __local float* sums) {
  const int team = get_local_size(0);
  const int member = get_local_id(0);
  const int row = get_global_id(1);
  float sum = 0.0f;
  if (row < rows) {
    const int end = first[row + 1];
    for (int k = first[row] + member; k < end; k += team) sum += values[k] * x[columns[k]];
  }
  __local float* mine = sums + get_local_id(1) * team;
  mine[member] = sum;
  for (int count = team / 2; count > 0; count /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member < count) mine[member] += mine[member + count];
  }
  if (member == 0 && row < rows) y[row] = mine[0];
}
