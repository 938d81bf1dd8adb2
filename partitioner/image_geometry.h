// SPDX-License-Identifier: Apache-2.0
// What index expressions ask of images. For them an image argument is a value: the bytes of one of these, read like
// those of a scalar (Op::scalar_argument).
#pragma once

#include <cstdint>

namespace skmd::domain {

struct ImageGeometry {
  std::uint64_t extent[3] = {1, 1, 1};  // elements, rows, slices; layers count as the dimension after the others
  std::uint64_t element_bytes = 0;
  std::uint64_t row_pitch = 0;  // of the image's bytes in host memory
  std::uint64_t slice_pitch = 0;
};

}  // namespace skmd::domain
