// SPDX-License-Identifier: Apache-2.0
// A group counts its chunk of numbers in 0 … 255. Every work-item has 256 counters of a byte in local memory, emptied into
// sums after each round of at most 255 numbers; then work-items add up bins over all counters.
#define BINS 256

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void histogram(__global const uint* numbers,
                                                                            __global uint* group_bins, int rounds,
                                                                            int per_round) {
  __local uchar counters[BINS * ITEMS];
  const int l = get_local_id(0);
  const int group = get_group_id(0);

  uint sums[BINS / ITEMS];
  for (int k = 0; k < BINS / ITEMS; ++k) sums[k] = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int bin = 0; bin < BINS; ++bin) counters[bin * ITEMS + l] = 0;
    const int first = (group * rounds + round) * per_round * ITEMS + l;
    for (int i = 0; i < per_round; ++i) ++counters[(numbers[first + i * ITEMS] & (BINS - 1)) * ITEMS + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < BINS / ITEMS; ++k) {
      for (int i = 0; i < ITEMS; ++i) sums[k] += counters[(k * ITEMS + l) * ITEMS + (i + l) % ITEMS];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int k = 0; k < BINS / ITEMS; ++k) group_bins[group * BINS + k * ITEMS + l] = sums[k];
}
