// SPDX-License-Identifier: Apache-2.0
// Colours as write_image would store them (OpenCL C, "Conversion Rules"): round to nearest even, saturate, NaN becomes
// 0.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "intercept/command/image_format.h"

namespace skmd::icd {

std::uint16_t half_bits(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return sign | 0x7E00u;   // NaN
  if (magnitude >= 0x477FF000u) return sign | 0x7C00u;  // rounds to more than 65504
  if (magnitude < 0x38800000u) {
    // Below 2^-14 halves are multiples of 2^-24.
    float absolute = 0;
    std::memcpy(&absolute, &magnitude, sizeof absolute);
    return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(absolute * 0x1p24f)));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  const std::uint32_t rounded = magnitude + 0xFFFu + odd - 0x38000000u;
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

namespace {

/// Components r, g, b, a (0 to 3) in memory order; -1: padding.
std::array<int, 4> component_order(cl_channel_order order) {
  switch (order) {
    case CL_A:
      return {3, -1, -1, -1};
    case CL_RA:
      return {0, 3, -1, -1};
    case CL_Rx:
      return {0, -1, -1, -1};
    case CL_RG:
      return {0, 1, -1, -1};
    case CL_RGx:
      return {0, 1, -1, -1};
    case CL_RGB:
    case CL_RGBx:
    case CL_sRGB:
    case CL_sRGBx:
      return {0, 1, 2, -1};
    case CL_BGRA:
    case CL_sBGRA:
      return {2, 1, 0, 3};
    case CL_ARGB:
      return {3, 0, 1, 2};
    case CL_ABGR:
      return {3, 2, 1, 0};
    case CL_RGBA:
    case CL_sRGBA:
      return {0, 1, 2, 3};
    default:
      return {0, -1, -1, -1};
  }
}

std::int64_t normalised(float value, std::int64_t low, std::int64_t high) {
  if (std::isnan(value)) return 0;
  const double scaled = std::nearbyint(static_cast<double>(value) * static_cast<double>(high));
  return static_cast<std::int64_t>(std::clamp(scaled, static_cast<double>(low), static_cast<double>(high)));
}

float to_srgb(float linear) {
  if (std::isnan(linear) || linear < 0.0f) return 0.0f;
  if (linear > 1.0f) return 1.0f;
  return linear < 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1.0f / 2.4f) - 0.055f;
}

template <class T>
void put(std::byte* target, T value) {
  std::memcpy(target, &value, sizeof value);
}

/// One channel of `type` from component `index` of `color`.
void put_channel(std::byte* target, cl_channel_type type, const std::byte* color, int index) {
  float real = 0;
  std::int32_t integer = 0;
  std::uint32_t natural = 0;
  std::memcpy(&real, color + 4 * index, 4);
  std::memcpy(&integer, color + 4 * index, 4);
  std::memcpy(&natural, color + 4 * index, 4);
  switch (type) {
    case CL_SNORM_INT8:
      put(target, static_cast<std::int8_t>(normalised(real, -128, 127)));
      break;
    case CL_SNORM_INT16:
      put(target, static_cast<std::int16_t>(normalised(real, -32768, 32767)));
      break;
    case CL_UNORM_INT8:
      put(target, static_cast<std::uint8_t>(normalised(real, 0, 255)));
      break;
    case CL_UNORM_INT16:
      put(target, static_cast<std::uint16_t>(normalised(real, 0, 65535)));
      break;
    case CL_SIGNED_INT8:
      put(target, static_cast<std::int8_t>(std::clamp(integer, -128, 127)));
      break;
    case CL_SIGNED_INT16:
      put(target, static_cast<std::int16_t>(std::clamp(integer, -32768, 32767)));
      break;
    case CL_SIGNED_INT32:
      put(target, integer);
      break;
    case CL_UNSIGNED_INT8:
      put(target, static_cast<std::uint8_t>(std::min(natural, 255u)));
      break;
    case CL_UNSIGNED_INT16:
      put(target, static_cast<std::uint16_t>(std::min(natural, 65535u)));
      break;
    case CL_UNSIGNED_INT32:
      put(target, natural);
      break;
    case CL_HALF_FLOAT:
      put(target, half_bits(real));
      break;
    default:
      put(target, real);
      break;
  }
}

std::vector<std::byte> packed(cl_channel_type type, const std::byte* color) {
  std::array<float, 4> c{};
  std::memcpy(c.data(), color, sizeof c);
  const auto field = [&](int index, unsigned bits) {
    return static_cast<std::uint32_t>(normalised(c[static_cast<std::size_t>(index)], 0, (1 << bits) - 1));
  };
  std::uint32_t value = 0;
  std::size_t size = 4;
  switch (type) {
    case CL_UNORM_SHORT_565:
      value = field(0, 5) << 11 | field(1, 6) << 5 | field(2, 5);
      size = 2;
      break;
    case CL_UNORM_SHORT_555:
      value = field(0, 5) << 10 | field(1, 5) << 5 | field(2, 5);
      size = 2;
      break;
    case CL_UNORM_INT_101010:
      value = field(0, 10) << 20 | field(1, 10) << 10 | field(2, 10);
      break;
    default:
      value = field(0, 10) << 22 | field(1, 10) << 12 | field(2, 10) << 2 | field(3, 2);
      break;
  }
  std::vector<std::byte> bytes(size);
  std::memcpy(bytes.data(), &value, size);
  return bytes;
}

}  // namespace

std::vector<std::byte> encode_color(const cl_image_format& format, const void* color) {
  const cl_channel_type type = format.image_channel_data_type;
  const cl_channel_order order = format.image_channel_order;
  const std::uint64_t size = element_bytes(format).value_or(0);
  std::array<std::byte, 16> components{};
  // "For depth images the fill color is a single floating-point value."
  std::memcpy(components.data(), color, order == CL_DEPTH ? 4 : 16);
  if (type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 || type == CL_UNORM_INT_101010 ||
      type == CL_UNORM_INT_101010_2)
    return packed(type, components.data());
  if (order == CL_sRGB || order == CL_sRGBA || order == CL_sBGRA || order == CL_sRGBx) {
    for (std::size_t i = 0; i < 3; ++i) {
      float linear = 0;
      std::memcpy(&linear, components.data() + 4 * i, 4);
      put(components.data() + 4 * i, to_srgb(linear));
    }
  }
  std::vector<std::byte> bytes(size);
  const unsigned channels = channel_count(order);
  if (channels == 0) return bytes;
  const std::uint64_t step = size / channels;
  const std::array<int, 4> from = component_order(order);
  for (unsigned channel = 0; channel < channels; ++channel)
    if (from[channel] >= 0) put_channel(bytes.data() + channel * step, type, components.data(), from[channel]);
  return bytes;
}

}  // namespace skmd::icd
