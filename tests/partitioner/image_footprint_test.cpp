// SPDX-License-Identifier: Apache-2.0
// Footprints of image writes: places computed from the image's geometry, which its argument has for a value.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "partitioner/traits/image_geometry.h"
#include "tests/partitioner/kernel_builder.h"

namespace skmd::domain::test {
namespace {

/// write_image(image, (x, y, z), …) as the compiler writes it down.
struct Image {
  explicit Image(const ImageGeometry& of) : geometry(of) {
    argument = k.buffer(geometry.slice_pitch * geometry.extent[2]);
  }
  NodeId field(std::size_t byte, std::uint8_t bits) {
    const NodeId id = k.node(Op::scalar_argument, bits);
    k.traits.nodes[id].value = argument;
    k.traits.nodes[id].aux = static_cast<std::uint32_t>(byte);
    return id;
  }
  void write(std::initializer_list<NodeId> coordinates) {
    constexpr std::size_t kSteps[] = {offsetof(ImageGeometry, element_bytes), offsetof(ImageGeometry, row_pitch),
                                      offsetof(ImageGeometry, slice_pitch)};
    std::vector<Guard> guards;
    NodeId offset = k.constant(0);
    unsigned d = 0;
    for (const NodeId at : coordinates) {
      guards.push_back({k.compare(Predicate::ult, at, field(8 * d, 32)), true});
      offset = k.add(offset, k.mul(k.cast(Op::sext, at, 64), field(kSteps[d], 64)));
      ++d;
    }
    const NodeId count = field(offsetof(ImageGeometry, element_bytes), 64);
    Access& access = k.write(argument, k.constant(0));
    access.offset = offset;
    access.guards = std::move(guards);
    access.width = 1;
    access.count = count;
    access.element = 0;
  }
  NodeId gid(unsigned dim) { return k.cast(Op::trunc, k.gid(dim), 32); }
  Footprint of(const NdRange& range, const GroupSpan& span) {
    auto arguments = k.arguments();
    arguments[argument].value = std::as_bytes(std::span(&geometry, 1));
    return evaluate(k.traits, range, span, arguments)[argument];
  }
  KernelBuilder k;
  ImageGeometry geometry;
  std::uint32_t argument = 0;
};

const ImageGeometry kFlat{{16, 8, 1}, 4, 64, 512};

TEST(ImageFootprint, ASliceOfWholeRowsIsOneRange) {
  Image image(kFlat);
  image.write({image.gid(0), image.gid(1)});
  const auto footprint = image.of(range_2d(16, 8, 16, 2), {1, 3});
  EXPECT_EQ(footprint.may_write, RangeSet({128, 384}));
  EXPECT_EQ(footprint.must_write, footprint.may_write);
}

TEST(ImageFootprint, ItemsOutsideTheImageWriteNothing) {
  Image image(kFlat);
  image.write({image.gid(0), image.k.plus(image.gid(1), 5)});
  const auto footprint = image.of(range_2d(32, 16, 16, 4), {0, 2});  // rows 5 to 8, columns 0 to 31
  EXPECT_EQ(footprint.may_write, RangeSet({320, 512}));
  EXPECT_EQ(footprint.must_write, footprint.may_write);
}

TEST(ImageFootprint, SlicesOfAVolume) {
  const ImageGeometry volume{{4, 2, 8}, 8, 32, 64};
  Image image(volume);
  image.write({image.gid(0), image.gid(1), image.gid(2)});
  const auto footprint = image.of(range_3d({4, 2, 8}, {4, 2, 1}), {2, 5});
  EXPECT_EQ(footprint.may_write, RangeSet({128, 320}));
  EXPECT_EQ(footprint.must_write, footprint.may_write);
}

TEST(ImageFootprint, AnUnknownColumnStaysInItsRow) {
  Image image(kFlat);
  image.write({image.k.node(Op::bit_and, 32, image.k.node(Op::unknown, 32), image.k.constant(15, 32)), image.gid(0)});
  const auto footprint = image.of(range_1d(8, 2), {1, 2});
  EXPECT_EQ(footprint.may_write, RangeSet({128, 256}));
}

TEST(ImageFootprint, WithoutGeometryThePlaceIsUnknown) {
  Image image(kFlat);
  image.write({image.gid(0), image.gid(1)});
  EXPECT_TRUE(image.k.evaluate(range_2d(16, 8, 16, 2), {1, 3})[image.argument].write_unknown);
}

}  // namespace
}  // namespace skmd::domain::test
