// SPDX-License-Identifier: Apache-2.0
// What is worth having in every kernel: two-dimensional images of four channels, of floats or bytes, without repetition.
// The questions are the same for all items, so that the answers stay branches and everything else becomes vectors. All
// other images go to the functions of images.cl, with the same results.

#pragma OPENCL FP_CONTRACT OFF

#include "image_taps.clh"

void skmd_image_readf_at_floats(constant const Image* image, uint sampler, uint shape, float x, float y, float z,
                                private float4* color);
void skmd_image_readf_at_ints(constant const Image* image, uint sampler, uint shape, int x, int y, int z,
                              private float4* color);
void skmd_image_readi_at_ints(constant const Image* image, uint sampler, uint shape, int x, int y, int z,
                              private int4* color);
void skmd_image_writef(constant const Image* image, uint shape, int x, int y, int z, float r, float g, float b, float a);
void skmd_image_writei(constant const Image* image, uint shape, int x, int y, int z, int r, int g, int b, int a);

INLINE bool has(constant const Image* image, uint type) { return image->order == CLK_RGBA && image->type == type; }

INLINE float4 four_floats(global const uchar* at) {
  global const float* const channels = (global const float*)at;
  return (float4)(channels[0], channels[1], channels[2], channels[3]);
}
INLINE float4 four_bytes(global const uchar* at) {
  const uint bits = *(global const uint*)at;
  return (float4)((float)(bits & 255), (float)(bits >> 8 & 255), (float)(bits >> 16 & 255), (float)(bits >> 24)) / 255.0f;
}

// The border of four channels is 0. What is read is inside the image in any case.
INLINE float4 quick_float(constant const Image* image, bool bytes, int x, int y) {
  const int inside_x = clamp(x, 0, (int)image->width - 1), inside_y = clamp(y, 0, (int)image->height - 1);
  global const uchar* const at = image->bytes + offset_of(image, inside_x, inside_y, 0);
  const float4 value = bytes ? four_bytes(at) : four_floats(at);
  const bool inside = x == inside_x && y == inside_y;
  return (float4)(inside ? value.x : 0.0f, inside ? value.y : 0.0f, inside ? value.z : 0.0f, inside ? value.w : 0.0f);
}

INLINE int to_edge(uint sampler, int at, uint size) {
  return (sampler & kAddressing) == CLK_ADDRESS_CLAMP_TO_EDGE ? clamp(at, 0, (int)size - 1) : at;
}

float4 skmd_quick_readf_at_ints(constant const Image* image, uint sampler, int x, int y) {
  const bool bytes = has(image, CLK_UNORM_INT8);
  if (!bytes && !has(image, CLK_FLOAT)) {
    float4 color;
    skmd_image_readf_at_ints(image, sampler, 2, x, y, 0, &color);
    return color;
  }
  return quick_float(image, bytes, to_edge(sampler, x, image->width), to_edge(sampler, y, image->height));
}

float4 skmd_quick_readf_at_floats(constant const Image* image, uint sampler, float x, float y) {
  const bool bytes = has(image, CLK_UNORM_INT8);
  const bool linear = sampler & kLinear;
  if ((sampler & kAddressing) >= CLK_ADDRESS_REPEAT || (!bytes && !has(image, CLK_FLOAT))) {
    float4 color;
    skmd_image_readf_at_floats(image, sampler, 2, x, y, 0, &color);
    return color;
  }
  const Taps across = taps_of(sampler, linear, x, (int)image->width);
  const Taps down = taps_of(sampler, linear, y, (int)image->height);
  if (!linear) return quick_float(image, bytes, across.first, down.first);
  const float left = 1.0f - across.part, above = 1.0f - down.part;
  float4 sum = left * above * quick_float(image, bytes, across.first, down.first);
  sum += across.part * above * quick_float(image, bytes, across.second, down.first);
  sum += left * down.part * quick_float(image, bytes, across.first, down.second);
  return sum + across.part * down.part * quick_float(image, bytes, across.second, down.second);
}

int4 skmd_quick_readi_at_ints(constant const Image* image, uint sampler, int x, int y) {
  const bool bytes = has(image, CLK_UNSIGNED_INT8);
  if (!bytes && !has(image, CLK_UNSIGNED_INT32)) {
    int4 color;
    skmd_image_readi_at_ints(image, sampler, 2, x, y, 0, &color);
    return color;
  }
  x = to_edge(sampler, x, image->width);
  y = to_edge(sampler, y, image->height);
  const int inside_x = clamp(x, 0, (int)image->width - 1), inside_y = clamp(y, 0, (int)image->height - 1);
  global const uint* const at = (global const uint*)(image->bytes + offset_of(image, inside_x, inside_y, 0));
  uint4 value;
  if (bytes) {
    const uint bits = at[0];
    value = (uint4)(bits & 255, bits >> 8 & 255, bits >> 16 & 255, bits >> 24);
  } else {
    value = (uint4)(at[0], at[1], at[2], at[3]);
  }
  const bool inside = x == inside_x && y == inside_y;
  return as_int4((uint4)(inside ? value.x : 0u, inside ? value.y : 0u, inside ? value.z : 0u, inside ? value.w : 0u));
}

// Not a number: 0.
INLINE uint byte_of(float value) { return (uint)rint(fmin(fmax(value * 255.0f, 0.0f), 255.0f)); }

void skmd_quick_writef(constant const Image* image, int x, int y, float r, float g, float b, float a) {
  const bool bytes = has(image, CLK_UNORM_INT8);
  if (!bytes && !has(image, CLK_FLOAT)) {
    skmd_image_writef(image, 2, x, y, 0, r, g, b, a);
    return;
  }
  if ((uint)x >= image->width || (uint)y >= image->height) return;
  global uchar* const at = image->bytes + offset_of(image, x, y, 0);
  if (bytes) {
    *(global uint*)at = byte_of(r) | byte_of(g) << 8 | byte_of(b) << 16 | byte_of(a) << 24;
  } else {
    global float* const channels = (global float*)at;
    channels[0] = r;
    channels[1] = g;
    channels[2] = b;
    channels[3] = a;
  }
}

void skmd_quick_writei(constant const Image* image, int x, int y, int r, int g, int b, int a) {
  const bool bytes = has(image, CLK_UNSIGNED_INT8);
  if (!bytes && !has(image, CLK_UNSIGNED_INT32)) {
    skmd_image_writei(image, 2, x, y, 0, r, g, b, a);
    return;
  }
  if ((uint)x >= image->width || (uint)y >= image->height) return;
  global uint* const at = (global uint*)(image->bytes + offset_of(image, x, y, 0));
  if (bytes) {
    at[0] = min((uint)r, 255u) | min((uint)g, 255u) << 8 | min((uint)b, 255u) << 16 | min((uint)a, 255u) << 24;
  } else {
    at[0] = (uint)r;
    at[1] = (uint)g;
    at[2] = (uint)b;
    at[3] = (uint)a;
  }
}
