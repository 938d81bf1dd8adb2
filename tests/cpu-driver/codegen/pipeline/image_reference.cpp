// SPDX-License-Identifier: Apache-2.0
#include "tests/cpu-driver/codegen/pipeline/image_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace skmd::cpu::test {

namespace {

// Of CL/cl.h and CLK_ constants.
enum : std::uint32_t { kR = 0x10B0, kA, kRG, kRA, kRGB, kRGBA, kBGRA, kARGB, kIntensity, kLuminance, kRx, kRGx, kRGBx };
enum : std::uint32_t { kSRGB = 0x10BF, kSRGBx, kSRGBA, kSBGRA, kABGR };
enum : std::uint32_t {
  kAddressing = 14,
  kToEdge = 2,
  kClamp = 4,
  kRepeat = 6,
  kMirrored = 8,
  kNormalized = 1,
  kLinear = 0x20
};

struct Order {
  std::uint32_t code;
  const char* channels;
};
struct Type {
  std::uint32_t code;
  Kind kind;
  unsigned bytes;
};
constexpr Type kTypes[] = {
    {0x10D0, Kind::snorm, 1},        {0x10D1, Kind::snorm, 2},        {0x10D2, Kind::unorm, 1},
    {0x10D3, Kind::unorm, 2},        {0x10D7, Kind::signed_int, 1},   {0x10D8, Kind::signed_int, 2},
    {0x10D9, Kind::signed_int, 4},   {0x10DA, Kind::unsigned_int, 1}, {0x10DB, Kind::unsigned_int, 2},
    {0x10DC, Kind::unsigned_int, 4}, {0x10DD, Kind::half, 2},         {0x10DE, Kind::real, 4}};

std::uint32_t bits_at(const unsigned char* from, unsigned bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

double half_value(std::uint32_t bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 1023u;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

std::uint32_t half_bits(double value) {
  const std::uint32_t sign = std::signbit(value) ? 0x8000u : 0;
  if (std::isnan(value)) return sign | 0x7e00u;
  value = std::fabs(value);
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - 11, -24);  // of the last place
  const double rounded = std::isinf(value) ? value : std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  for (std::uint32_t bits = 0; bits < 0x7c00u; ++bits)  // slow, and plain
    if (half_value(bits) == rounded) return sign | bits;
  return sign | 0x7c00u;
}

double linear_of(double srgb) { return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4); }
double srgb_of(double linear) {
  if (!(linear > 0)) return 0;
  if (linear > 1) return 1;
  return linear < 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

double channel_value(const Format& format, std::uint32_t bits) {
  const unsigned width = format.bytes * 8;
  const auto wide = static_cast<std::int32_t>(bits << (32 - width)) >> (32 - width);
  switch (format.kind) {
    case Kind::unorm:
      return static_cast<double>(static_cast<float>(bits) / static_cast<float>((1u << width) - 1));
    case Kind::snorm:
      return std::max(-1.0,
                      static_cast<double>(static_cast<float>(wide) / static_cast<float>((1u << (width - 1)) - 1)));
    case Kind::signed_int:
      return wide;
    case Kind::unsigned_int:
      return bits;
    case Kind::half:
      return half_value(bits);
    default:
      float value = 0;
      std::memcpy(&value, &bits, sizeof value);
      return static_cast<double>(value);
  }
}

int index_of(char channel) {
  switch (channel) {
    case 'R':
      return 0;
    case 'G':
      return 1;
    case 'B':
      return 2;
    default:
      return 3;
  }
}

Color element(const TestImage& image, std::size_t place) {
  const Format& format = image.format;
  const unsigned char* from = image.bytes.data() + place;
  Color color{0, 0, 0, 1};
  if (format.channels.find('A') == 0) color[3] = 0;
  for (unsigned i = 0; i < format.channels.size(); ++i) {
    const char channel = format.channels[i];
    if (channel == 'x') continue;
    double value = 0;
    if (format.kind == Kind::packed) {
      const std::uint32_t most = (1u << format.widths[i]) - 1;
      const std::uint32_t bits = bits_at(from, format.bytes) >> format.shifts[i] & most;
      value = static_cast<double>(static_cast<float>(bits) / static_cast<float>(most));
    } else {
      const std::uint32_t bits = bits_at(from + std::size_t{i} * format.bytes, format.bytes);
      value = channel_value(format, bits);
      if (format.srgb && channel != 'A') value = linear_of(bits / 255.0);
    }
    if (channel == 'I' || channel == 'L') {
      color = {value, value, value, channel == 'I' ? value : 1};
    } else {
      color[static_cast<std::size_t>(index_of(channel))] = value;
    }
  }
  return color;
}

Color border(const Format& format) {
  const bool opaque = format.order == kR || format.order == kRG || format.order == kRGB || format.order == kLuminance ||
                      format.order == kSRGB;
  return {0, 0, 0, opaque ? 1.0 : 0.0};
}

struct Tap {
  std::int64_t at[2];
  double weight[2];
  bool open = false;
};

std::int64_t whole(double value) { return static_cast<std::int64_t>(std::clamp(value, -1e9, 1e9)); }

// One coordinate of an image with `size` elements there.
Tap tap(const Sample& sample, float at, std::int64_t size) {
  const std::uint32_t mode = sample.sampler & kAddressing;
  const bool linear = sample.floats && (sample.sampler & kLinear) != 0;
  const auto extent = static_cast<float>(size);
  Tap result{};
  if (!std::isfinite(at)) result.open = true;
  float u = at;
  if ((sample.sampler & kNormalized) != 0 && mode != kRepeat && mode != kMirrored) u = at * extent;
  if (mode == kRepeat) u = (at - std::floor(at)) * extent;
  if (mode == kMirrored) u = std::fabs(at - 2.0f * std::rint(0.5f * at)) * extent;
  if (linear) u = u - 0.5f;
  if (!std::isfinite(u)) result.open = true;
  result.at[0] = whole(std::floor(static_cast<double>(u)));
  result.at[1] = result.at[0] + 1;
  const double part = linear ? static_cast<double>(u - std::floor(u)) : 0;
  result.weight[0] = 1 - part;
  result.weight[1] = part;
  for (std::int64_t& place : result.at) {
    if (mode == kRepeat) place = (place % size + size) % size;
    if (mode == kMirrored || mode == kToEdge) place = std::clamp<std::int64_t>(place, 0, size - 1);
    const bool counts = linear || &place == result.at;
    if (mode == 0 && counts && (place < 0 || place >= size)) result.open = true;
  }
  return result;
}

Tap layer_tap(float at, std::uint32_t layers) {
  Tap result{};
  if (!std::isfinite(at)) result.open = true;
  result.at[0] = std::clamp<std::int64_t>(whole(std::rint(at)), 0, layers - 1);
  result.at[1] = result.at[0];
  result.weight[0] = 1;
  return result;
}

double saturated(double value, double least, double most) {
  return std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), least, most);
}

std::uint32_t stored(const Format& format, double value, double most_of_packed) {
  const unsigned width = format.bytes * 8;
  const double most = std::ldexp(1, static_cast<int>(width)) - 1;
  const double half = std::ldexp(1, static_cast<int>(width) - 1);
  const auto as_float = static_cast<float>(value);
  switch (format.kind) {
    case Kind::packed:
      return static_cast<std::uint32_t>(
          saturated(static_cast<double>(as_float * static_cast<float>(most_of_packed)), 0, most_of_packed));
    case Kind::unorm:
      return static_cast<std::uint32_t>(saturated(static_cast<double>(as_float * static_cast<float>(most)), 0, most));
    case Kind::snorm:
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(
          saturated(static_cast<double>(as_float * static_cast<float>(half - 1)), -half, half - 1)));
    case Kind::signed_int:
      return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::clamp(value, -half, half - 1)));
    case Kind::unsigned_int:
      return static_cast<std::uint32_t>(std::clamp(value, 0.0, most));
    case Kind::half:
      return half_bits(value);
    default:
      std::uint32_t bits = 0;
      std::memcpy(&bits, &as_float, sizeof bits);
      return bits;
  }
}

}  // namespace

unsigned Format::element_bytes() const {
  return kind == Kind::packed ? bytes : bytes * static_cast<unsigned>(channels.size());
}

std::vector<Format> all_formats() {
  std::vector<Format> formats;
  const auto add = [&](const Order& order, const Type& type, bool srgb) {
    formats.push_back({order.code, type.code, order.channels, type.kind, type.bytes, {}, {}, srgb});
  };
  for (const Order& order :
       {Order{kR, "R"}, {kA, "A"}, {kRG, "RG"}, {kRA, "RA"}, {kRGBA, "RGBA"}, {kRx, "Rx"}, {kRGx, "RGx"}})
    for (const Type& type : kTypes) add(order, type, false);
  for (const Order& order : {Order{kBGRA, "BGRA"}, {kARGB, "ARGB"}, {kABGR, "ABGR"}})
    for (const Type& type : kTypes)
      if (type.bytes == 1) add(order, type, false);
  for (const Order& order : {Order{kIntensity, "I"}, {kLuminance, "L"}})
    for (const Type& type : kTypes)
      if (type.kind != Kind::signed_int && type.kind != Kind::unsigned_int) add(order, type, false);
  for (const Order& order : {Order{kSRGB, "RGB"}, {kSRGBx, "RGBx"}, {kSRGBA, "RGBA"}, {kSBGRA, "BGRA"}})
    add(order, kTypes[2], true);
  for (const std::uint32_t order : {kRGB, kRGBx}) {
    formats.push_back({order, 0x10D4, "RGB", Kind::packed, 2, {11, 5, 0}, {5, 6, 5}, false});
    formats.push_back({order, 0x10D5, "RGB", Kind::packed, 2, {10, 5, 0}, {5, 5, 5}, false});
    formats.push_back({order, 0x10D6, "RGB", Kind::packed, 4, {20, 10, 0}, {10, 10, 10}, false});
  }
  formats.push_back({kRGBA, 0x10E0, "RGBA", Kind::packed, 4, {22, 12, 2, 0}, {10, 10, 10, 2}, false});
  return formats;
}

TestImage::TestImage(const Format& of, const Extents& size, unsigned seed) : format(of), extents(size) {
  constexpr std::size_t kGap = 3;
  row_pitch = (size.width + kGap) * format.element_bytes();
  slice_pitch = row_pitch * (size.height + kGap);
  if (size.layered && size.dimensions == 1) slice_pitch = row_pitch * (size.layers + kGap);
  bytes.resize(slice_pitch * (std::max(size.depth, size.dimensions == 2 ? size.layers : 1) + 1));
  std::mt19937 random(seed);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
  // Of floats, sizes that sums do not lose.
  if (format.kind == Kind::half)
    for (std::size_t i = 1; i < bytes.size(); i += 2) bytes[i] = (bytes[i] & 0x83u) | 0x38u;
  if (format.kind == Kind::real)
    for (std::size_t i = 3; i < bytes.size(); i += 4) bytes[i] = (bytes[i] & 0x80u) | 0x3fu;
}

SpanImage TestImage::span() {
  SpanImage image;
  image.bytes = reinterpret_cast<std::byte*>(bytes.data());
  image.row_pitch = row_pitch;
  image.slice_pitch = slice_pitch;
  image.width = extents.width;
  image.height = extents.height;
  image.depth = extents.depth;
  image.layers = extents.layers;
  image.order = format.order;
  image.type = format.type;
  image.element_bytes = format.element_bytes();
  return image;
}

std::optional<std::size_t> TestImage::place(const std::array<std::int64_t, 3>& at) const {
  std::array<std::int64_t, 3> size{extents.width, extents.height, extents.depth};
  if (extents.layered) size[extents.dimensions] = extents.layers;
  for (unsigned d = 0; d < 3; ++d)
    if (at[d] < 0 || at[d] >= size[d]) return std::nullopt;
  return static_cast<std::size_t>(at[2]) * slice_pitch + static_cast<std::size_t>(at[1]) * row_pitch +
         static_cast<std::size_t>(at[0]) * format.element_bytes();
}

std::optional<Color> read(const TestImage& image, const Sample& sample) {
  const Extents& extents = image.extents;
  const std::array<std::uint32_t, 3> size{extents.width, extents.height, extents.depth};
  std::array<Tap, 3> taps{};
  for (Tap& none : taps) none.weight[0] = 1;
  for (unsigned d = 0; d < extents.dimensions; ++d) taps[d] = tap(sample, sample.at[d], size[d]);
  if (extents.layered) taps[extents.dimensions] = layer_tap(sample.at[extents.dimensions], extents.layers);
  for (const Tap& one : taps)
    if (one.open) return std::nullopt;
  Color sum{};
  for (unsigned corner = 0; corner < 8; ++corner) {
    const unsigned x = corner & 1;
    const unsigned y = corner >> 1 & 1;
    const unsigned z = corner >> 2;
    const double weight = taps[0].weight[x] * taps[1].weight[y] * taps[2].weight[z];
    if (weight == 0) continue;
    const auto place = image.place({taps[0].at[x], taps[1].at[y], taps[2].at[z]});
    const Color color = place ? element(image, *place) : border(image.format);
    for (unsigned c = 0; c < 4; ++c) sum[c] += weight * color[c];
  }
  return sum;
}

void write(TestImage& image, const std::array<std::int64_t, 3>& at, const Color& color) {
  const auto place = image.place(at);
  if (!place) return;
  const Format& format = image.format;
  std::uint32_t packed = 0;
  for (unsigned i = 0; i < format.channels.size(); ++i) {
    const char channel = format.channels[i];
    if (channel == 'x') continue;
    double value = color[channel == 'I' || channel == 'L' ? 0 : static_cast<std::size_t>(index_of(channel))];
    if (format.srgb && channel != 'A') value = srgb_of(value);
    const bool in_bits = format.kind == Kind::packed;
    const std::uint32_t bits =
        stored(format, value, in_bits ? std::ldexp(1, static_cast<int>(format.widths[i])) - 1 : 0);
    if (in_bits)
      packed |= bits << format.shifts[i];
    else
      std::memcpy(&image.bytes[*place + std::size_t{i} * format.bytes], &bits, format.bytes);
  }
  if (format.kind == Kind::packed) std::memcpy(&image.bytes[*place], &packed, format.bytes);
}

}  // namespace skmd::cpu::test
