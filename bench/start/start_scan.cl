// SPDX-License-Identifier: Apache-2.0
// Prefix sums of uints. A group of 256 items has 1024 numbers, four to an item; sums double their reach in every step.
#define ITEMS 256

// The sum of what the items before this one have.
uint scan_items(uint mine, __local uint* sums) {
  const uint l = get_local_id(0);
  sums[l] = 0;
  sums[ITEMS + l] = mine;
  #pragma unroll
  for (uint reach = 1; reach < ITEMS; reach *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint more = sums[ITEMS + l - reach];
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[ITEMS + l] += more;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return sums[ITEMS + l] - mine;
}

// Of each 1024 numbers by themselves; `totals` has the sum of each such block.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void scan_blocks(__global const uint4* in, __global uint4* out,
                                                                            __global uint* totals) {
  __local uint sums[2 * ITEMS];
  const uint i = get_global_id(0);
  uint4 four = in[i];
  const uint4 own = four;
  four.y += four.x;
  four.z += four.y;
  four.w += four.z;
  const uint before = scan_items(four.w, sums);
  out[i] = four - own + before;
  if (get_local_id(0) == ITEMS - 1) totals[get_group_id(0)] = before + four.w;
}

// Of up to 1024 numbers, in place, by one group; those from `count` on are taken as 0.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void scan_totals(__global uint* totals, uint count) {
  __local uint sums[2 * ITEMS];
  const uint first = get_local_id(0) * 4;
  uint own[4], sum = 0;
  #pragma unroll
  for (uint k = 0; k < 4; ++k) {
    own[k] = first + k < count ? totals[first + k] : 0;
    sum += own[k];
  }
  uint before = scan_items(sum, sums);
  #pragma unroll
  for (uint k = 0; k < 4; ++k) {
    if (first + k < count) totals[first + k] = before;
    before += own[k];
  }
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void add_totals(__global uint4* numbers,
                                                                            __global const uint* totals) {
  numbers[get_global_id(0)] += totals[get_group_id(0)];
}
