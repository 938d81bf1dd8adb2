// SPDX-License-Identifier: Apache-2.0
// Images as the specification describes them, element by element and in double where it does not say float: what
// generated code is compared with.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cpu-driver/span_code.h"

namespace skmd::cpu::test {

/// A channel's type.
enum class Kind : std::uint8_t { unorm, snorm, signed_int, unsigned_int, half, real, packed };
struct Format {
  std::uint32_t order = 0, type = 0;
  std::string channels;  // in memory: R, G, B, A, I for intensity, L for luminance, x for nothing
  Kind kind = Kind::unorm;
  unsigned bytes = 1;                    // of a channel; packed: of the element
  std::vector<unsigned> shifts, widths;  // packed: of each channel, in bits
  bool srgb = false;
  [[nodiscard]] bool integer() const { return kind == Kind::signed_int || kind == Kind::unsigned_int; }
  [[nodiscard]] unsigned element_bytes() const;
};
/// Every order and type that OpenCL allows together.
std::vector<Format> all_formats();

struct Extents {
  unsigned dimensions = 2;
  bool layered = false;
  std::uint32_t width = 1, height = 1, depth = 1, layers = 1;
};

/// An image's bytes, with padding between rows and slices that must not be written.
class TestImage {
 public:
  TestImage(const Format& format, const Extents& extents, unsigned seed);
  SpanImage span();

  Format format;
  Extents extents;
  std::vector<unsigned char> bytes;
  std::size_t row_pitch = 0, slice_pitch = 0;

  /// Offset of an element; nothing if it is outside. Coordinates are those of memory: layers come last.
  [[nodiscard]] std::optional<std::size_t> place(const std::array<std::int64_t, 3>& at) const;
};

using Color = std::array<double, 4>;

/// How a read is done: CLK_ bits of a sampler, coordinates in their own type.
struct Sample {
  std::uint32_t sampler = 0;
  bool floats = false;
  std::array<float, 4> at{};
};

/// Nothing: the specification leaves it open.
std::optional<Color> read(const TestImage& image, const Sample& sample);

/// Writes what write_image does with `color`: floats, or integers that fit a double.
void write(TestImage& image, const std::array<std::int64_t, 3>& at, const Color& color);

}  // namespace skmd::cpu::test
