// SPDX-License-Identifier: Apache-2.0
// First round: a group adds up 2·W·pairs neighbouring numbers, first two at a time, then in a tree. The host adds the sums.
__kernel void reduction(__global const float* numbers, __global float* sums, int pairs, __local float* tile) {
  const int l = get_local_id(0);
  const int size = get_local_size(0);
  const int first = get_group_id(0) * (2 * size * pairs) + l;

  float sum = 0.0f;
  for (int k = 0; k < pairs; ++k) sum += numbers[first + k * 2 * size] + numbers[first + k * 2 * size + size];
  tile[l] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = size / 2; half_size > 0; half_size /= 2) {
    if (l < half_size) tile[l] += tile[l + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0) sums[get_group_id(0)] = tile[0];
}
