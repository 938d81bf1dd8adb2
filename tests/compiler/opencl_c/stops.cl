// SPDX-License-Identifier: Apache-2.0
// Kernels for stops_test.py: one work-group of 12 work-items, 1024 words.

kernel void alone(global uint* out, uint n) {
  const uint id = get_global_id(0);
  float x = id * 0.25f;
  uint steps = 0;
  while (steps < n + id && x < 1000.0f) {
    x = x * 1.5f + 1.0f;
    ++steps;
  }
  out[id] = steps;
  out[id + 64] = as_uint(x);
}

kernel void together(global uint* out, uint n) {
  const uint id = get_global_id(0);
  uint sum = id;
  for (uint i = 0; i < n; ++i) sum = sum * 3 + out[256 + i * 12 + id];
  out[id] = sum;
}

kernel void swaps(global uint* out, uint n) {
  const uint id = get_global_id(0);
  uint a = id, b = id * 7 + 1, c = 5;
  for (uint i = 0; i < n + id % 3; ++i) {
    uint kept = a;
    a = b;
    b = c;
    c = kept + (i & 1);
  }
  out[id] = a;
  out[id + 12] = b;
  out[id + 24] = c;
}

// What local memory has is of no use at the end of an iteration: it is kept by who runs a group, which this test does not do.
kernel void tiles(global uint* out, uint n) {
  local uint tile[12];
  const uint id = get_local_id(0);
  uint sum = 0;
  for (uint i = 0; i < n; ++i) {
    tile[id] = out[256 + i * 12 + id] + sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += tile[(id + 1) % 12] * 3 + tile[(id + 5) % 12];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[id] = sum;
}

kernel void arrays(global uint* out, uint n) {
  const uint id = get_global_id(0);
  uint words[4] = {id, out[300 + id], 5, out[400 + id]};
  float numbers[3] = {id, 1, 2};
  for (uint i = 0; i < n; ++i) {
    words[(i + id) & 3] += words[words[i & 3] & 3];
    numbers[i % 3] += numbers[words[i & 3] % 3];
  }
  out[id] = words[0] + 3 * words[1] + 5 * words[2] + 7 * words[3];
  out[id + 16] = as_uint(numbers[0] + numbers[1] * numbers[2]);
}

kernel void nested(global uint* out, uint n) {
  const uint id = get_global_id(0);
  uint sum = 0;
  for (uint i = 0; i < n; ++i) {
    for (uint j = id % 4; j < i + 3; ++j) {
      if ((i + j) % 5 == 4) continue;
      sum = sum * 5 + out[256 + ((i * 17 + j + id) & 255)];
    }
    if (sum % 97 == 3) break;
    sum ^= i;
  }
  out[id] = sum;
}

kernel void types(global uint* out, uint n) {
  const uint id = get_global_id(0);
  float4 v = (float4)(id, 1, 2, 3);
  double d = id;
  uchar c = id;
  short s = -3 - (short)id;
  long l = -(long)id;
  for (uint i = 0; i < n; ++i) {
    v = v.yzwx * 2.0f + (float4)(i);
    d = d * 0.5 + v.x;
    c = c * 17 + i;
    s = (short)(s * 3) >> 1;
    l = l * 1000003 + s;
  }
  out[id] = as_uint(v.x) ^ as_uint(v.w);
  out[id + 12] = (uint)(as_ulong(d) >> 20);
  out[id + 24] = c;
  out[id + 36] = (ushort)s;
  out[id + 48] = (uint)(l >> 7);
}

struct Settings {
  uint a;
  short b, c;
  uint d[2];
};

kernel void structs(global uint* out, struct Settings settings, uint n) {
  const uint id = get_global_id(0);
  uint sum = 0;
  for (uint i = 0; i < n; ++i) sum = sum * settings.a + settings.b * settings.c + settings.d[(i + id) & 1];
  out[id] = sum;
}
