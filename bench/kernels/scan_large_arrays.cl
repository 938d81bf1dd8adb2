// SPDX-License-Identifier: Apache-2.0
// Exclusive prefix sums of blocks of 2·W numbers, after Blelloch: sums go up a tree in local memory, then down.
__kernel void scan_blocks(__global const float* in, __global float* out, __global float* block_sums,
                          __local float* tree) {
  const int item = get_global_id(0);
  const int l = get_local_id(0);
  const int size = 2 * (int)get_local_size(0);

  tree[2 * l] = in[2 * item];
  tree[2 * l + 1] = in[2 * item + 1];
  int distance = 1;
  for (int pairs = size / 2; pairs > 0; pairs /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < pairs) tree[distance * (2 * l + 2) - 1] += tree[distance * (2 * l + 1) - 1];
    distance *= 2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) {
    block_sums[get_group_id(0)] = tree[size - 1];
    tree[size - 1] = 0.0f;
  }
  for (int pairs = 1; pairs < size; pairs *= 2) {
    distance /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < pairs) {
      const float left = tree[distance * (2 * l + 1) - 1];
      const float both = tree[distance * (2 * l + 2) - 1];
      tree[distance * (2 * l + 1) - 1] = both;
      tree[distance * (2 * l + 2) - 1] = both + left;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[2 * item] = tree[2 * l];
  out[2 * item + 1] = tree[2 * l + 1];
}

// Adds to every block what came before it.
__kernel void add_offsets(__global float* numbers, __global const float* offsets) {
  const int item = get_global_id(0);
  const float offset = offsets[get_group_id(0)];
  numbers[2 * item] += offset;
  numbers[2 * item + 1] += offset;
}
