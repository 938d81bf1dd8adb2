// SPDX-License-Identifier: Apache-2.0
// DXT1: each 4×4 pixels become two colours of 16 bits and sixteen indices of 2 bits. A group of 64 items searches for one block: the
// pixels are put in order along the principal axis of their colours, and every way to part that order into four clusters is tried with
// the end colours that fit it best.
#define ITEMS 64

// The direction along which the colours differ most: powers of their covariance.
float4 principal_axis(__local const float4* colours, float4 mean) {
  float4 x = (float4)(0.0f), y = (float4)(0.0f), z = (float4)(0.0f);
  #pragma unroll
  for (int i = 0; i < 16; ++i) {
    const float4 d = colours[i] - mean;
    x += d * d.x;
    y += d * d.y;
    z += d * d.z;
  }
  float4 axis = x.x >= y.y && x.x >= z.z ? x : y.y >= z.z ? y : z;
  #pragma unroll
  for (int i = 0; i < 8; ++i) {
    axis = (float4)(dot(x, axis), dot(y, axis), dot(z, axis), 0.0f);
    const float largest = fmax(fmax(fabs(axis.x), fabs(axis.y)), fabs(axis.z));
    axis = largest > 0.0f ? axis / largest : (float4)(1.0f, 1.0f, 1.0f, 0.0f);
  }
  return axis;
}

// The nearest colour of 5, 6 and 5 bits; *packed: its bits.
float4 rounded(float4 colour, uint* packed) {
  const float4 steps = (float4)(31.0f, 63.0f, 31.0f, 1.0f);
  const float4 whole = floor(clamp(colour, 0.0f, 1.0f) * steps + 0.5f);
  *packed = (uint)whole.x << 11 | (uint)whole.y << 5 | (uint)whole.z;
  return whole / steps;
}

// The squared error of the best two colours for one partition, less the sum of the colours' squares. Two bits of `partition` for each
// pixel: 0 the first colour, 1 the second, 2 and 3 the two between them.
float try_partition(uint partition, __local const float4* sorted, float4 sum, uint* ends) {
  float alpha2 = 0.0f, beta2 = 0.0f, alphabeta = 0.0f;
  float4 alphax = (float4)(0.0f);
  #pragma unroll
  for (int i = 0; i < 16; ++i) {
    const uint index = partition >> (2 * i) & 3;
    const float alpha = (index & 1 ? 0.0f : 1.0f) + (index & 2 ? (index & 1 ? 1.0f / 3.0f : -1.0f / 3.0f) : 0.0f);
    const float beta = 1.0f - alpha;
    alpha2 += alpha * alpha;
    beta2 += beta * beta;
    alphabeta += alpha * beta;
    alphax += alpha * sorted[i];
  }
  const float4 betax = sum - alphax;
  const float factor = 1.0f / (alpha2 * beta2 - alphabeta * alphabeta);
  uint first, second;
  const float4 a = rounded((alphax * beta2 - betax * alphabeta) * factor, &first);
  const float4 b = rounded((betax * alpha2 - alphax * alphabeta) * factor, &second);
  *ends = first | second << 16;
  return dot(a * a * alpha2 + b * b * beta2 + 2.0f * (a * b * alphabeta - a * alphax - b * betax),
             (float4)(1.0f, 1.0f, 1.0f, 0.0f));
}

// Puts indices of sorted pixels where the pixels are. The first colour has to be the larger one.
uint2 packed_block(uint ends, uint partition, __local const uint* order) {
  uint first = ends & 0xffff, second = ends >> 16;
  if (first < second) {
    const uint other = first;
    first = second;
    second = other;
    partition ^= 0x55555555;
  }
  uint indices = 0;
  #pragma unroll
  for (int i = 0; i < 16; ++i) indices |= (partition >> (2 * i) & 3) << (2 * order[i]);
  return (uint2)(first | second << 16, first == second ? 0 : indices);
}

__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void compress(__global const uint* pixels,
                                                                         __constant uint* partitions, uint count,
                                                                         __global uint2* blocks, uint width) {
  __local float4 colours[16], sorted[16];
  __local float places[16], errors[ITEMS];
  __local uint order[16], ends[ITEMS], chosen[ITEMS];
  const uint l = get_local_id(0), across = width / 4;
  if (l < 16) {
    const uint x = get_group_id(0) % across * 4 + l % 4, y = get_group_id(0) / across * 4 + l / 4;
    const uint pixel = pixels[y * width + x];
    colours[l] = (float4)(pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255, 0) / 255.0f;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 sum = (float4)(0.0f);
  #pragma unroll
  for (int i = 0; i < 16; ++i) sum += colours[i];
  const float4 axis = principal_axis(colours, sum / 16.0f);
  if (l < 16) places[l] = dot(colours[l], axis);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < 16) {
    uint rank = 0;
    #pragma unroll
    for (uint i = 0; i < 16; ++i) rank += places[i] < places[l] || (places[i] == places[l] && i < l) ? 1 : 0;
    order[rank] = l;
    sorted[rank] = colours[l];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  float best = FLT_MAX;
  uint best_ends = 0, best_partition = 0;
  for (uint p = l; p < count; p += ITEMS) {
    uint tried_ends;
    const float error = try_partition(partitions[p], sorted, sum, &tried_ends);
    if (error < best) {
      best = error;
      best_ends = tried_ends;
      best_partition = partitions[p];
    }
  }
  errors[l] = best;
  ends[l] = best_ends;
  chosen[l] = best_partition;
  #pragma unroll
  for (uint rest = ITEMS / 2; rest > 0; rest /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < rest && errors[l + rest] < errors[l]) {
      errors[l] = errors[l + rest];
      ends[l] = ends[l + rest];
      chosen[l] = chosen[l + rest];
    }
  }
  if (l == 0) blocks[get_group_id(0)] = packed_block(ends[0], chosen[0], order);
}
