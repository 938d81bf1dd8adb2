// SPDX-License-Identifier: Apache-2.0
// One pass of a stable radix sort by four bits. A group of 256 items has 1024 keys, which it first sorts by those bits in local
// memory, a bit at a time.
#define ITEMS 256
#define EACH 4
#define BLOCK (ITEMS * EACH)
#define DIGITS 16

// The sum of what the items before this one have; *all: of all items.
uint scan_items(uint mine, __local uint* sums, uint* all) {
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
  const uint result = sums[ITEMS + l] - mine;
  *all = sums[2 * ITEMS - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}

// Keys whose bit is 0 go before those whose bit is 1, in their order.
void split_by_bit(uint bit, uint2* pairs, __local uint2* block, __local uint* sums) {
  const uint first = get_local_id(0) * EACH;
  uint zeros = 0, all;
  #pragma unroll
  for (uint k = 0; k < EACH; ++k) zeros += 1 - (pairs[k].x >> bit & 1);
  uint before = scan_items(zeros, sums, &all);
  #pragma unroll
  for (uint k = 0; k < EACH; ++k) {
    const uint one = pairs[k].x >> bit & 1;
    block[one ? all + first + k - before : before] = pairs[k];
    before += 1 - one;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  #pragma unroll
  for (uint k = 0; k < EACH; ++k) pairs[k] = block[first + k];
  barrier(CLK_LOCAL_MEM_FENCE);
}

// Sorts each block of pairs (key, value) by four bits, and counts its digits: counts[digit][block].
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void sort_blocks(__global uint2* numbers, __global uint* counts,
                                                                            uint shift) {
  __local uint2 block[BLOCK];
  __local uint sums[2 * ITEMS];
  __local uint ends[DIGITS];
  const uint l = get_local_id(0), first = get_group_id(0) * BLOCK + l * EACH;
  uint2 pairs[EACH];
  #pragma unroll
  for (uint k = 0; k < EACH; ++k) pairs[k] = numbers[first + k];
  #pragma unroll
  for (uint bit = 0; bit < 4; ++bit) split_by_bit(shift + bit, pairs, block, sums);
  #pragma unroll
  for (uint k = 0; k < EACH; ++k) numbers[first + k] = pairs[k];
  if (l < DIGITS) ends[l] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  #pragma unroll
  for (uint k = 0; k < EACH; ++k) atomic_inc(&ends[pairs[k].x >> shift & (DIGITS - 1)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < DIGITS) counts[l * get_num_groups(0) + get_group_id(0)] = ends[l];
}

// Exclusive prefix sums of all counts, by one group, a stretch of 1024 after the other.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void scan_counts(__global uint* counts, uint count) {
  __local uint sums[2 * ITEMS];
  uint carried = 0;
  for (uint start = 0; start < count; start += BLOCK) {
    const uint first = start + get_local_id(0) * EACH;
    uint own[EACH], sum = 0, all;
    #pragma unroll
    for (uint k = 0; k < EACH; ++k) {
      own[k] = first + k < count ? counts[first + k] : 0;
      sum += own[k];
    }
    uint before = carried + scan_items(sum, sums, &all);
    #pragma unroll
    for (uint k = 0; k < EACH; ++k) {
      if (first + k < count) counts[first + k] = before;
      before += own[k];
    }
    carried += all;
  }
}

// Brings each pair of the sorted blocks to its place among all.
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void scatter(__global const uint2* numbers,
                                                                        __global const uint* places, __global uint2* out,
                                                                        uint shift) {
  __local uint starts[DIGITS], to[DIGITS];
  __local uint2 block[BLOCK];
  const uint l = get_local_id(0), first = get_group_id(0) * BLOCK;
  #pragma unroll
  for (uint k = 0; k < EACH; ++k) block[l + k * ITEMS] = numbers[first + l + k * ITEMS];
  if (l < DIGITS) to[l] = places[l * get_num_groups(0) + get_group_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  #pragma unroll
  for (uint k = 0; k < EACH; ++k) {
    const uint i = l + k * ITEMS, digit = block[i].x >> shift & (DIGITS - 1);
    if (i == 0 || digit != (block[i - 1].x >> shift & (DIGITS - 1))) starts[digit] = i;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  #pragma unroll
  for (uint k = 0; k < EACH; ++k) {
    const uint i = l + k * ITEMS, digit = block[i].x >> shift & (DIGITS - 1);
    out[to[digit] + i - starts[digit]] = block[i];
  }
}
