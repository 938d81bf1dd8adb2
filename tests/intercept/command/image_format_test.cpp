// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/image_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace skmd::icd {
namespace {

template <class T>
std::vector<T> encode(cl_channel_order order, cl_channel_type type, const void* color) {
  const auto bytes = encode_color({order, type}, color);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(ImageFormat, OrdersAndTypesThatDoNotGoTogetherHaveNoSize) {
  EXPECT_EQ(element_bytes({CL_RGBA, CL_UNORM_INT8}), 4u);
  EXPECT_EQ(element_bytes({CL_RGBA, CL_FLOAT}), 16u);
  EXPECT_EQ(element_bytes({CL_RG, CL_HALF_FLOAT}), 4u);
  EXPECT_EQ(element_bytes({CL_RGB, CL_UNORM_SHORT_565}), 2u);
  EXPECT_EQ(element_bytes({CL_RGBA, CL_UNORM_INT_101010_2}), 4u);
  EXPECT_EQ(element_bytes({CL_DEPTH, CL_FLOAT}), 4u);
  EXPECT_FALSE(element_bytes({CL_RGB, CL_UNORM_INT8}));
  EXPECT_FALSE(element_bytes({CL_BGRA, CL_FLOAT}));
  EXPECT_FALSE(element_bytes({CL_DEPTH, CL_UNORM_INT8}));
  EXPECT_FALSE(element_bytes({CL_RGBA, CL_UNORM_SHORT_565}));
  EXPECT_FALSE(element_bytes({0, CL_FLOAT}));
}

TEST(ImageFormat, HalvesRoundToNearestEven) {
  EXPECT_EQ(half_bits(0.0f), 0x0000);
  EXPECT_EQ(half_bits(-0.0f), 0x8000);
  EXPECT_EQ(half_bits(1.0f), 0x3C00);
  EXPECT_EQ(half_bits(-2.0f), 0xC000);
  EXPECT_EQ(half_bits(65504.0f), 0x7BFF);
  EXPECT_EQ(half_bits(65519.0f), 0x7BFF);
  EXPECT_EQ(half_bits(65520.0f), 0x7C00);
  EXPECT_EQ(half_bits(std::numeric_limits<float>::infinity()), 0x7C00);
  EXPECT_EQ(half_bits(0x1p-24f), 0x0001);
  EXPECT_EQ(half_bits(0x1p-25f), 0x0000);    // a tie goes to even
  EXPECT_EQ(half_bits(0x1.8p-24f), 0x0002);  // so does this one
  EXPECT_EQ(half_bits(0x1p-14f), 0x0400);
  EXPECT_EQ(half_bits(1.0f + 0x1p-11f), 0x3C00);
  EXPECT_EQ(half_bits(1.0f + 0x1.8p-10f), 0x3C02);
  EXPECT_EQ(half_bits(std::nanf("")) & 0x7C00, 0x7C00);
  EXPECT_NE(half_bits(std::nanf("")) & 0x03FF, 0);
}

TEST(ImageFormat, EveryHalfSurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const auto exponent = static_cast<int>(bits >> 10);
    const float mantissa = static_cast<float>(bits & 0x3FF);
    const float value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024.0f + mantissa, exponent - 25);
    ASSERT_EQ(half_bits(value), bits);
    ASSERT_EQ(half_bits(-value), bits | 0x8000u);
  }
}

TEST(ImageFormat, ColorsSaturateAndRoundAsWriteImageDoes) {
  const float color[4] = {0.5f, -1.0f, 2.0f, std::nanf("")};
  EXPECT_EQ(encode<std::uint8_t>(CL_RGBA, CL_UNORM_INT8, color), (std::vector<std::uint8_t>{128, 0, 255, 0}));
  EXPECT_EQ(encode<std::uint16_t>(CL_RGBA, CL_UNORM_INT16, color), (std::vector<std::uint16_t>{32768, 0, 65535, 0}));
  EXPECT_EQ(encode<std::int8_t>(CL_RGBA, CL_SNORM_INT8, color), (std::vector<std::int8_t>{64, -127, 127, 0}));
  const std::int32_t integers[4] = {-1000, 1000, 100000, -100000};
  EXPECT_EQ(encode<std::int8_t>(CL_RGBA, CL_SIGNED_INT8, integers), (std::vector<std::int8_t>{-128, 127, 127, -128}));
  EXPECT_EQ(encode<std::int16_t>(CL_RGBA, CL_SIGNED_INT16, integers),
            (std::vector<std::int16_t>{-1000, 1000, 32767, -32768}));
  const std::uint32_t naturals[4] = {1, 300, 70000, 4000000000u};
  EXPECT_EQ(encode<std::uint8_t>(CL_RGBA, CL_UNSIGNED_INT8, naturals), (std::vector<std::uint8_t>{1, 255, 255, 255}));
  EXPECT_EQ(encode<std::uint32_t>(CL_RGBA, CL_UNSIGNED_INT32, naturals),
            (std::vector<std::uint32_t>{1, 300, 70000, 4000000000u}));
}

TEST(ImageFormat, ComponentsGoWhereTheOrderPutsThem) {
  const std::uint32_t color[4] = {1, 2, 3, 4};
  const auto bytes = [&](cl_channel_order order) { return encode<std::uint8_t>(order, CL_UNSIGNED_INT8, color); };
  using List = std::vector<std::uint8_t>;
  EXPECT_EQ(bytes(CL_R), (List{1}));
  EXPECT_EQ(bytes(CL_A), (List{4}));
  EXPECT_EQ(bytes(CL_RG), (List{1, 2}));
  EXPECT_EQ(bytes(CL_RA), (List{1, 4}));
  EXPECT_EQ(bytes(CL_BGRA), (List{3, 2, 1, 4}));
  EXPECT_EQ(bytes(CL_ARGB), (List{4, 1, 2, 3}));
  EXPECT_EQ(bytes(CL_ABGR), (List{4, 3, 2, 1}));
}

TEST(ImageFormat, PackedFormatsPutRedOnTop) {
  const float red[4] = {1, 0, 0, 0};
  const float mixed[4] = {0, 1, 1, 1};
  EXPECT_EQ(encode<std::uint16_t>(CL_RGB, CL_UNORM_SHORT_565, red)[0], 0xF800);
  EXPECT_EQ(encode<std::uint16_t>(CL_RGB, CL_UNORM_SHORT_565, mixed)[0], 0x07FF);
  EXPECT_EQ(encode<std::uint16_t>(CL_RGB, CL_UNORM_SHORT_555, red)[0], 0x7C00);
  EXPECT_EQ(encode<std::uint32_t>(CL_RGB, CL_UNORM_INT_101010, mixed)[0], 0x000FFFFFu);
  EXPECT_EQ(encode<std::uint32_t>(CL_RGBA, CL_UNORM_INT_101010_2, red)[0], 0xFFC00000u);
  EXPECT_EQ(encode<std::uint32_t>(CL_RGBA, CL_UNORM_INT_101010_2, mixed)[0], 0x003FFFFFu);
}

TEST(ImageFormat, DepthTakesOneFloat) {
  const float depth = 0.25f;
  EXPECT_EQ(encode<float>(CL_DEPTH, CL_FLOAT, &depth), std::vector<float>{0.25f});
}

TEST(ImageFormat, LayersOfArraysAreTheNextDimension) {
  ImageShape shape;
  shape.element_bytes = 4;
  shape.desc.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY;
  shape.desc.image_width = 10;
  shape.desc.image_array_size = 3;
  const ImageLayout layout = tight_layout(shape);
  EXPECT_EQ(layout.extent, (std::array<std::uint64_t, 3>{10, 3, 1}));
  EXPECT_EQ(layout.bytes(), 120u);
  const size_t origin[3] = {2, 1, 0};
  const size_t region[3] = {3, 2, 1};
  const RectRegion bytes = region_of(layout, 100, origin, region);
  EXPECT_EQ(bytes.begin, 100u + 40 + 8);
  EXPECT_EQ(bytes.ranges(), (domain::RangeSet{{148, 160}, {188, 200}}));
  std::byte memory{};
  const HostBox box = image_host_box(CL_MEM_OBJECT_IMAGE1D_ARRAY, bytes, &memory, 0, 64);
  EXPECT_EQ(box.row_pitch, 64u);  // the slice pitch separates the layers
}

}  // namespace
}  // namespace skmd::icd
