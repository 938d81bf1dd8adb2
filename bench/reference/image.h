// SPDX-License-Identifier: Apache-2.0
// What the two image filters share: a picture of four channels, and a pixel's neighbours with edges repeated.
#pragma once

#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "bench/support/random.h"

namespace bench {

struct Image {
  std::size_t width;
  std::size_t height;
  std::vector<cl_uchar4> pixels;

  /// Shapes of different sizes with noise on top: flat areas, edges and outliers.
  static Image make(std::size_t width, std::size_t height) {
    Image image{width, height, random_bytes_as<cl_uchar4>(width * height, 1)};
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        for (std::size_t channel = 0; channel < 4; ++channel) {
          cl_uchar& value = image.pixels[y * width + x].s[channel];
          const std::size_t shape = ((x >> (channel + 2)) ^ (y >> (channel + 3))) * 73;
          if (value % 8 != 0) value = static_cast<cl_uchar>(shape % 240 + value % 16);
        }
      }
    }
    return image;
  }

  /// Row by row.
  std::array<int, 9> neighbours(std::size_t x, std::size_t y, std::size_t channel) const {
    std::array<int, 9> result{};
    for (std::size_t k = 0; k < 9; ++k) {
      const std::size_t nx = std::clamp<std::size_t>(x + k % 3, 1, width) - 1;
      const std::size_t ny = std::clamp<std::size_t>(y + k / 3, 1, height) - 1;
      result[k] = pixels[ny * width + nx].s[channel];
    }
    return result;
  }
};

}  // namespace bench
