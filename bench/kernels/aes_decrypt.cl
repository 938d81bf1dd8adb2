// SPDX-License-Identifier: Apache-2.0
// The inverse of aes_encrypt.cl's cipher, in the same distribution over work-items.
#define ITEMS 256

uchar4 substitute(__constant uchar* box, uchar4 v) { return (uchar4)(box[v.x], box[v.y], box[v.z], box[v.w]); }

uchar4 twice(uchar4 v) { return (v << (uchar4)1) ^ ((v >> (uchar4)7) * (uchar4)0x1B); }

uchar4 mix_column(uchar4 v) { return twice(v ^ v.yzwx) ^ v.yzwx ^ v.zwxy ^ v.wxyz; }

uchar4 unmix_column(uchar4 v) { return mix_column(v ^ twice(twice(v ^ v.zwxy))); }

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void aes_decrypt(__global const uchar4* cipher,
                                                                              __global uchar4* plain,
                                                                              __constant uchar* inverse_box,
                                                                              __constant uchar4* keys, int rounds,
                                                                              int chunks) {
  __local uchar4 tiles[2 * ITEMS];
  const int l = get_local_id(0);
  const int column = l & 3;
  const int block = l & ~3;
  const int first = get_group_id(0) * chunks * ITEMS + l;

  for (int chunk = 0; chunk < chunks; ++chunk) {
    uchar4 state = cipher[first + chunk * ITEMS] ^ keys[4 * rounds + column];
    for (int round = rounds - 1; round >= 0; --round) {
      const int tile = (round & 1) * ITEMS;
      tiles[tile + l] = substitute(inverse_box, state);
      barrier(CLK_LOCAL_MEM_FENCE);
      const int from = tile + block;
      state = (uchar4)(tiles[from + column].x, tiles[from + ((column + 3) & 3)].y, tiles[from + ((column + 2) & 3)].z,
                       tiles[from + ((column + 1) & 3)].w);
      state ^= keys[4 * round + column];
      if (round > 0) state = unmix_column(state);
    }
    plain[first + chunk * ITEMS] = state;
  }
}
