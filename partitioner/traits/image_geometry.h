// SPDX-License-Identifier: Apache-2.0
// The geometry of an image, for index expressions. There an image argument is a value: the bytes of an ImageGeometry,
// read like those of a scalar (Op::scalar_argument).
#pragma once

#include <cstdint>

namespace skmd::domain {

struct ImageGeometry {
  std::uint64_t extent[3] = {1, 1, 1};  // elements, rows, slices; layers count as the dimension after the others
  std::uint64_t element_bytes = 0;
  std::uint64_t row_pitch = 0;  // bytes, of the image in host memory
  std::uint64_t slice_pitch = 0;
};

}  // namespace skmd::domain
