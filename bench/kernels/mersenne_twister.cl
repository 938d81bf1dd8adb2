// SPDX-License-Identifier: Apache-2.0
// Every work-item runs a small Mersenne Twister of its own (period 2^607 - 1). x: the twist matrix's last row, y and z: the
// tempering masks, w: the seed. Numbers of one work-item lie `stride` apart, scaled to (0, 1].
#define WORDS 19
#define MIDDLE 9

__kernel void mersenne_twister(__global const uint4* generators, __global float* numbers, int stride, int per_item) {
  const int item = get_global_id(0);
  const uint4 generator = generators[item];
  uint state[WORDS];
  state[0] = generator.w;
  for (int k = 1; k < WORDS; ++k) state[k] = 1812433253u * (state[k - 1] ^ (state[k - 1] >> 30)) + k;

  int now = 0;
  for (int i = 0; i < per_item; ++i) {
    const int next = now + 1 < WORDS ? now + 1 : 0;
    const int middle = now + MIDDLE < WORDS ? now + MIDDLE : now + MIDDLE - WORDS;
    const uint joined = (state[now] & 0xFFFFFFFEu) | (state[next] & 1u);
    uint x = state[middle] ^ (joined >> 1) ^ ((joined & 1u) ? generator.x : 0u);
    state[now] = x;
    now = next;

    x ^= x >> 12;
    x ^= (x << 7) & generator.y;
    x ^= (x << 15) & generator.z;
    x ^= x >> 18;
    numbers[item + i * stride] = ((float)(x >> 8) + 1.0f) * 0x1p-24f;
  }
}
