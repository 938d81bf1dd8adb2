// SPDX-License-Identifier: Apache-2.0
// Kernels of stoppable_test.py: how their groups leave, and what a group's state has beside words.

// One by one, with every query of the launch's geometry.
__kernel void alone(__global uint* out, uint most) {
  uint x = get_global_id(0) * 7919u + get_global_id(1) * 104729u + get_global_offset(0);
  uint n = 0;
  while (n < most && (x & 31u) != 5u) {
    x = x * 1664525u + 1013904223u;
    ++n;
  }
  const uint width = get_global_size(0);
  const uint row = get_global_id(1) - get_global_offset(1), column = get_global_id(0) - get_global_offset(0);
  out[row * width + column] = n * 1000u + get_group_id(0) * 10u + get_group_id(1) + get_num_groups(1) * 100u + get_work_dim();
}

// Together at the barriers of a loop, with a variable and a parameter in local memory, which live across it.
__kernel void together(__global uint* out, __local uint* given, uint rounds) {
  __local uint own[24];
  const uint item = get_local_id(1) * get_local_size(0) + get_local_id(0);
  const uint items = get_local_size(0) * get_local_size(1);
  own[item] = get_global_id(0) + 17u * get_global_id(1);
  given[item] = item;
  uint sum = 0;
  for (uint round = 0; round < rounds; ++round) {
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint left = own[(item + 1) % items], right = given[(item + round) % items];
    barrier(CLK_LOCAL_MEM_FENCE);
    own[item] = left * 31u + right;
    given[item] = right ^ round;
    sum += left;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint row = get_global_id(1) - get_global_offset(1), column = get_global_id(0) - get_global_offset(0);
  out[row * get_global_size(0) + column] = sum + own[items - 1 - item] * 3u + given[items - 1 - item];
}

// With an array of each item's own.
__kernel void arrays(__global uint* out, uint rounds) {
  uint own[6];
  const uint id = get_global_id(0) - get_global_offset(0) + (get_global_id(1) - get_global_offset(1)) * get_global_size(0);
  for (uint i = 0; i < 6; ++i) own[i] = id + i;
  for (uint round = 0; round < rounds + (id & 3u); ++round) own[(round + id) % 6] += own[(round * 5u) % 6] * 3u + 1u;
  out[id] = own[0] ^ own[1] * 3u ^ own[2] * 5u ^ own[3] * 7u ^ own[4] * 11u ^ own[5] * 13u;
}

// Loops that count towards a bound, each in its own way and some at their type's ends: strips have bounds of their own.
// With a check after every few iterations each third loop from the last one on has strips of one, which need none.
#define LINEAR_ID \
  (get_global_id(0) - get_global_offset(0) + (get_global_id(1) - get_global_offset(1)) * get_global_size(0))
#define STRIPS_OF_ONE for (uint i = 0; i < 2 + n % 2; ++i) sum = sum * 3u + i

__kernel void counts_up(__global uint* out, uint most, int least) {
  const uint id = LINEAR_ID, n = most + (id & 7u);
  uint sum = id + least;
  for (uint i = 3; i <= n; i += 3) sum = sum * 31u + i;
  for (uint i = 0xffffffffu - n; i < 0xfffffffdu; ++i) sum = sum * 39u + i;
  STRIPS_OF_ONE;
  for (int i = INT_MAX - (int)n; i < INT_MAX - 1; i += 2) sum = sum * 41u + i;
  for (ulong i = 0; !(i >= n); ++i) sum = sum * 47u + (uint)i;
  STRIPS_OF_ONE;
  for (uint i = n; i < most; ++i) sum = 0;
  for (uint i = 1; i < get_global_size(0) + id; i += 5) sum = sum * 49u + i;
  STRIPS_OF_ONE;
  for (uint i = 0xfffffffau; i != get_global_size(0) - id % 3; ++i) sum = sum * 53u + i;
  for (uint i = 0xfffffffau; i != n; ++i) sum = sum * 55u + i;
  STRIPS_OF_ONE;
  out[id] = sum;
}

__kernel void counts_down(__global uint* out, uint most, int least) {
  const uint id = LINEAR_ID, n = most + (id & 7u);
  uint sum = id;
  for (int i = n; i > least; i -= 2) sum = sum * 33u + i;
  for (int i = n; i >= least; --i) sum = sum * 35u + i;
  STRIPS_OF_ONE;
  for (uint i = n; i != 0; --i) sum = sum * 37u + i;
  for (int i = INT_MIN + (int)n; i > INT_MIN; --i) sum = sum * 43u + i;
  STRIPS_OF_ONE;
  for (long i = n; 0 < i; --i) sum = sum * 45u + (uint)i;
  for (int i = n; i > (long)least - n; i -= 3) sum = sum * 51u + i;
  STRIPS_OF_ONE;
  out[id] = sum;
}
