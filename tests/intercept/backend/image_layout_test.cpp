// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/image_layout.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace skmd::icd {
namespace {

ImageShape shape_of(cl_mem_object_type type, std::size_t width, std::size_t height, std::size_t depth,
                    std::size_t layers) {
  ImageShape shape;
  shape.desc.image_type = type;
  shape.desc.image_width = width;
  shape.desc.image_height = height;
  shape.desc.image_depth = depth;
  shape.desc.image_array_size = layers;
  shape.element_bytes = 4;
  return shape;
}

const ImageShape kShapes[] = {
    shape_of(CL_MEM_OBJECT_IMAGE1D, 30, 0, 0, 0),      shape_of(CL_MEM_OBJECT_IMAGE2D, 6, 5, 0, 0),
    shape_of(CL_MEM_OBJECT_IMAGE3D, 6, 5, 4, 0),       shape_of(CL_MEM_OBJECT_IMAGE1D_ARRAY, 6, 0, 0, 5),
    shape_of(CL_MEM_OBJECT_IMAGE2D_ARRAY, 6, 5, 0, 3),
};

/// Places of the tight layout that the boxes copy to and from, with the rules of clEnqueueReadImage; each once.
std::multiset<std::uint64_t> elements_of(const ImageShape& shape, const std::vector<ImageBox>& boxes) {
  const ImageLayout layout = tight_layout(shape);
  std::multiset<std::uint64_t> found;
  for (const ImageBox& box : boxes) {
    const std::size_t pitch = box.row_pitch != 0 ? box.row_pitch : box.region[0] * 4;
    for (std::size_t z = 0; z < box.region[2]; ++z)
      for (std::size_t y = 0; y < box.region[1]; ++y)
        for (std::size_t x = 0; x < box.region[0]; ++x) {
          const std::uint64_t in_image = (box.origin[2] + z) * layout.slice_pitch +
                                         (box.origin[1] + y) * layout.row_pitch + (box.origin[0] + x) * 4;
          const std::uint64_t on_host = box.begin + (z * box.region[1] + y) * pitch + x * 4;
          EXPECT_EQ(on_host, in_image);
          EXPECT_LT(box.origin[0] + x, layout.extent[0]);
          EXPECT_LT(box.origin[1] + y, layout.extent[1]);
          EXPECT_LT(box.origin[2] + z, layout.extent[2]);
          found.insert(in_image);
        }
  }
  return found;
}

TEST(ImageBoxes, CoverExactlyTheBytesOfAnyRun) {
  std::mt19937 random(5);
  for (const ImageShape& shape : kShapes) {
    const ImageLayout layout = tight_layout(shape);
    const std::uint64_t count = layout.bytes() / 4;
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t begin = random() % count;
      domain::RowRun rows{begin * 4, (1 + random() % (count - begin)) * 4, 0, 1};
      if (i % 2 == 1) {
        rows.stride = i % 4 == 1 ? layout.row_pitch : 4 * (1 + random() % count);
        rows.width = 4 * (1 + random() % (rows.stride / 4));
        if (rows.begin + rows.width > layout.bytes()) continue;
        rows.rows = 1 + random() % ((layout.bytes() - rows.begin - rows.width) / rows.stride + 1);
      }
      std::multiset<std::uint64_t> expected;
      for (std::uint64_t row = 0; row < rows.rows; ++row)
        for (std::uint64_t b = 0; b < rows.width; b += 4) expected.insert(rows.begin + row * rows.stride + b);
      ASSERT_EQ(elements_of(shape, image_boxes(shape, rows)), expected)
          << shape.desc.image_type << ": " << rows.begin << " " << rows.width << " " << rows.stride << " " << rows.rows;
    }
  }
}

TEST(ImageBoxes, WholeImagesAndWholeRowsAreOneBox) {
  for (const ImageShape& shape : kShapes) {
    const ImageLayout layout = tight_layout(shape);
    EXPECT_EQ(image_boxes(shape, {0, layout.bytes(), layout.bytes(), 1}),
              (std::vector<ImageBox>{{{0, 0, 0}, {layout.extent[0], layout.extent[1], layout.extent[2]}, 0, 0}}));
  }
  EXPECT_EQ(image_boxes(kShapes[1], {24, 72, 72, 1}), (std::vector<ImageBox>{{{0, 1, 0}, {6, 3, 1}, 24, 0}}));
}

TEST(ImageBoxes, RectanglesOfOneSliceAreOneBox) {
  EXPECT_EQ(image_boxes(kShapes[1], {28, 8, 24, 3}), (std::vector<ImageBox>{{{1, 1, 0}, {2, 3, 1}, 28, 24}}));
}

}  // namespace
}  // namespace skmd::icd
