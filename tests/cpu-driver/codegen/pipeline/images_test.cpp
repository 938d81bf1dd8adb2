// SPDX-License-Identifier: Apache-2.0
// Reads and writes of images by generated code, for every format, kind of image, sampler and many coordinates, against
// a reference of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "cpu-driver/host_target.h"
#include "tests/cpu-driver/codegen/pipeline/image_reference.h"
#include "tests/cpu-driver/codegen/pipeline/kernel_runner.h"

namespace skmd::cpu::test {

namespace {

using Float4 = std::array<float, 4>;
using Int4 = std::array<std::int32_t, 4>;

constexpr const char* kSource = R"(
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#define ONE(c) (c).x
#define TWO(c) (c).xy
#define FOUR(c) (c)
#define READ(KIND, C, LETTER, TYPE)                                                                                     \
  kernel void floats_##KIND##_##LETTER(read_only KIND##_t i, sampler_t s, global const float4* at, global TYPE* out) {    \
    size_t g = get_global_id(0); out[g] = read_image##LETTER(i, s, C(at[g])); }                                           \
  kernel void ints_##KIND##_##LETTER(read_only KIND##_t i, sampler_t s, global const int4* at, global TYPE* out) {        \
    size_t g = get_global_id(0); out[g] = read_image##LETTER(i, s, C(at[g])); }
#define PLAIN(KIND, C, LETTER, TYPE)                                                                                    \
  kernel void plain_##KIND##_##LETTER(read_only KIND##_t i, sampler_t s, global const int4* at, global TYPE* out) {       \
    size_t g = get_global_id(0); out[g] = read_image##LETTER(i, C(at[g])); }                                              \
  kernel void write_##KIND##_##LETTER(write_only KIND##_t i, global const int4* at, global const TYPE* in) {              \
    size_t g = get_global_id(0); write_image##LETTER(i, C(at[g]), in[g]); }
#define ALL(WHAT, KIND, C) WHAT(KIND, C, f, float4) WHAT(KIND, C, i, int4) WHAT(KIND, C, ui, uint4)
ALL(READ, image1d, ONE) ALL(READ, image1d_array, TWO) ALL(READ, image2d, TWO) ALL(READ, image2d_array, FOUR) ALL(READ, image3d, FOUR)
ALL(PLAIN, image1d, ONE) ALL(PLAIN, image1d_array, TWO) ALL(PLAIN, image2d, TWO) ALL(PLAIN, image2d_array, FOUR)
ALL(PLAIN, image3d, FOUR) ALL(PLAIN, image1d_buffer, ONE)
kernel void sizes(read_only image1d_t a, read_only image1d_array_t b, read_only image2d_t c, read_only image2d_array_t d,
                  read_only image3d_t e, read_only image1d_buffer_t f, global int* out) {
  out[0] = get_image_width(a); out[1] = get_image_width(b); out[2] = (int)get_image_array_size(b);
  out[3] = get_image_width(c); out[4] = get_image_height(c); out[5] = get_image_dim(c).x; out[6] = get_image_dim(c).y;
  out[7] = get_image_height(d); out[8] = (int)get_image_array_size(d); out[9] = get_image_dim(d).y;
  out[10] = get_image_depth(e); out[11] = get_image_dim(e).x; out[12] = get_image_dim(e).y; out[13] = get_image_dim(e).z;
  out[14] = get_image_dim(e).w; out[15] = get_image_channel_order(c); out[16] = get_image_channel_data_type(d);
  out[17] = get_image_width(f);
}
)";

struct Case {
  const char* name;
  Extents extents;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"image1d", {1, false, 1, 1, 1, 1}},      {"image1d", {1, false, 7, 1, 1, 1}},
      {"image1d_array", {1, true, 5, 1, 1, 3}}, {"image2d", {2, false, 1, 1, 1, 1}},
      {"image2d", {2, false, 6, 5, 1, 1}},      {"image2d_array", {2, true, 5, 4, 1, 3}},
      {"image3d", {3, false, 1, 1, 1, 1}},      {"image3d", {3, false, 5, 4, 3, 1}}};
  return all;
}

std::vector<Way> ways() {
  std::vector<Way> some = {{"sse", 1}, {"sse", 4}};
  if (may_use(SpanTarget::x86_64_v3)) some.push_back({"avx2", 8});
  if (may_use(SpanTarget::x86_64_v4)) some.push_back({"avx512", 0});
  return some;
}

std::string letter_of(const Format& format) {
  return format.kind == Kind::signed_int ? "i" : format.kind == Kind::unsigned_int ? "ui" : "f";
}

class Images : public testing::TestWithParam<Way> {
 protected:
  static constexpr std::uint64_t kItems = 83;  // no multiple of any width

  // Inside, around and far outside, in elements.
  std::vector<Float4> coordinates(const Extents& extents, bool normalized) {
    std::vector<Float4> all(kItems);
    const std::array<float, 4> size{static_cast<float>(extents.width), static_cast<float>(extents.height),
                                    static_cast<float>(extents.depth), 1};
    for (Float4& at : all) {
      for (unsigned d = 0; d < 4; ++d) {
        std::uniform_real_distribution<float> around(-1.5f, 2.5f);
        at[d] = around(random_) * (normalized ? 1.0f : size[d]);
        if (random_() % 4 == 0) at[d] = std::floor(at[d] * 2) / 2;
        if (extents.layered && d == extents.dimensions) at[d] = around(random_) * static_cast<float>(extents.layers);
      }
    }
    constexpr float kFar[] = {1e9f, -1e9f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN, 0.0f, -0.0f, 1e-40f};
    for (unsigned i = 0; i < std::size(kFar); ++i) all[i][i % extents.dimensions] = kFar[i];
    return all;
  }

  void check(const TestImage& image, const Sample& sample, const Float4& got, const std::string& what) {
    const auto expected = read(image, sample);
    if (!expected) return;
    const bool filtered = sample.floats && (sample.sampler & 0x20u) != 0;
    for (unsigned c = 0; c < 4; ++c) {
      const double tolerance = filtered ? 4e-6 : image.format.srgb ? 1e-7 : 0;
      const double wanted = (*expected)[c];
      const auto given = static_cast<double>(got[c]);
      if (std::fabs(given - wanted) > tolerance * std::max(1.0, std::fabs(wanted)) || std::isnan(given))
        FAIL() << what << " order " << std::hex << image.format.order << " type " << image.format.type << " sampler "
               << sample.sampler << std::dec << " at " << sample.at[0] << ", " << sample.at[1] << ", " << sample.at[2]
               << " channel " << c << ": " << given << ", not " << wanted;
    }
  }

  void run_read(Program& program, TestImage& image, const std::string& kernel, std::uint32_t sampler, bool floats,
                const std::vector<Float4>& at) {
    std::vector<Int4> whole(kItems);
    std::vector<Float4> exact = at;
    for (std::size_t i = 0; i < kItems && !floats; ++i) {
      for (unsigned d = 0; d < 4; ++d) {
        const float limited = std::isnan(at[i][d]) ? 0 : std::clamp(at[i][d], -1e9f, 1e9f);
        whole[i][d] = static_cast<std::int32_t>(std::floor(limited));
        exact[i][d] = static_cast<float>(whole[i][d]);
      }
    }
    std::vector<Float4> out(kItems);
    Arguments arguments;
    arguments.value(image.span()).value(sampler);
    if (floats)
      arguments.buffer(exact);
    else
      arguments.buffer(whole);
    arguments.buffer(out);
    program.run(kernel, line(1, kItems), arguments);
    for (std::size_t i = 0; i < kItems; ++i) {
      Float4 got = out[i];
      if (image.format.integer())
        for (float& channel : got) {
          std::uint32_t bits = 0;
          std::memcpy(&bits, &channel, sizeof bits);
          // Larger than 2^24, both are rounded to float in the same way.
          channel = image.format.kind == Kind::signed_int ? static_cast<float>(static_cast<std::int32_t>(bits))
                                                          : static_cast<float>(bits);
        }
      if (image.format.integer()) {
        const auto expected = read(image, {sampler & ~0x20u, floats, exact[i]});
        for (unsigned c = 0; expected && c < 4; ++c)
          ASSERT_EQ(got[c], static_cast<float>((*expected)[c])) << kernel << " " << std::hex << image.format.order;
      } else {
        check(image, {sampler, floats, exact[i]}, got, kernel);
      }
      if (HasFatalFailure()) return;
    }
  }

  std::mt19937 random_{7};
};

TEST_P(Images, AreReadAsTheSpecificationSays) {
  Program program(kSource, GetParam());
  ASSERT_TRUE(program.good());
  unsigned seed = 1;
  for (const Format& format : all_formats()) {
    for (const Case& one : cases()) {
      TestImage image(format, one.extents, ++seed);
      const std::string suffix = std::string(one.name) + "_" + letter_of(format);
      for (const std::uint32_t addressing : {0u, 2u, 4u, 6u, 8u}) {
        for (const std::uint32_t normalized : {0u, 1u}) {
          if (addressing >= 6 && normalized == 0) continue;
          const auto at = coordinates(one.extents, normalized != 0);
          for (const std::uint32_t filter : {0x10u, 0x20u}) {
            if (filter == 0x20 && format.integer()) continue;
            run_read(program, image, "floats_" + suffix, addressing | normalized | filter, true, at);
          }
          if (normalized == 0) run_read(program, image, "ints_" + suffix, addressing | 0x10u, false, at);
          if (HasFatalFailure()) return;
        }
      }
      run_read(program, image, "plain_" + suffix, 0, false, coordinates(one.extents, false));
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Images, AreWrittenAsTheSpecificationSays) {
  Program program(kSource, GetParam());
  ASSERT_TRUE(program.good());
  unsigned seed = 1;
  for (const Format& format : all_formats()) {
    for (const Case& one : cases()) {
      TestImage image(format, one.extents, ++seed);
      TestImage expected = image;
      // Each element once, others outside.
      std::vector<Int4> at;
      const unsigned layers = one.extents.layered ? one.extents.layers : 1;
      for (int z = -1; z <= static_cast<int>(std::max(one.extents.depth, layers)); ++z)
        for (int y = -1; y <= static_cast<int>(one.extents.height); ++y)
          for (int x = -1; x <= static_cast<int>(one.extents.width); ++x) at.push_back({x, y, z, 77});
      if (one.extents.dimensions == 1 && one.extents.layered)
        for (Int4& place : at) place = {place[0], place[2], place[1] == 0 ? 0 : 1000, 0};
      const unsigned used = one.extents.dimensions + (one.extents.layered ? 1 : 0);
      for (Int4& place : at)  // the same element twice would be a race
        for (unsigned d = used; d < 3; ++d)
          if (place[d] != 0) place[0] = -5;
      std::vector<Float4> in(at.size());
      for (std::size_t i = 0; i < at.size(); ++i) {
        Color color{};
        for (unsigned c = 0; c < 4; ++c) {
          std::uniform_real_distribution<float> around(-1.3f, 1.3f);
          float value = around(random_);
          if (random_() % 16 == 0)
            value = std::array{0.0f, 1.0f, -1.0f, 0.5f, 1e30f, -1e30f, 65520.0f, 3e-6f}[random_() % 8];
          if (format.integer()) {
            const auto bits = static_cast<std::uint32_t>(random_() >> random_() % 32);
            const std::uint32_t signs = format.kind == Kind::signed_int && random_() % 2 == 0 ? ~bits : bits;
            std::memcpy(&in[i][c], &signs, sizeof signs);
            color[c] = format.kind == Kind::signed_int ? static_cast<std::int32_t>(signs) : static_cast<double>(signs);
          } else {
            in[i][c] = value;
            color[c] = static_cast<double>(value);
          }
        }
        std::array<std::int64_t, 3> place{at[i][0], at[i][1], at[i][2]};
        for (unsigned d = used; d < 3; ++d) place[d] = 0;
        write(expected, place, color);
      }
      const std::string kernel = std::string("write_") + one.name + "_" + letter_of(format);
      Arguments arguments;
      arguments.value(image.span()).buffer(at).buffer(in);
      program.run(kernel, line(1, at.size()), arguments);
      ASSERT_EQ(image.bytes, expected.bytes)
          << kernel << " order " << std::hex << format.order << " type " << format.type;
    }
  }
}

TEST_P(Images, TellTheirSizes) {
  Program program(kSource, GetParam());
  ASSERT_TRUE(program.good());
  const Format format = all_formats().front();
  std::vector<TestImage> images;
  for (const Extents& extents : {Extents{1, false, 7, 1, 1, 1},
                                 {1, true, 5, 1, 1, 3},
                                 {2, false, 6, 9, 1, 1},
                                 {2, true, 5, 4, 1, 8},
                                 {3, false, 11, 12, 13, 1},
                                 {1, false, 99, 1, 1, 1}})
    images.emplace_back(format, extents, 1);
  std::vector<std::int32_t> out(18);
  Arguments arguments;
  for (TestImage& image : images) arguments.value(image.span());
  arguments.buffer(out);
  program.run("sizes", line(1, 1), arguments);
  const std::vector<std::int32_t> expected = {7, 5, 3, 6, 9, 6, 9, 4, 8, 4, 13, 11, 12, 13, 0, 0x10B0, 0x10D0, 99};
  EXPECT_EQ(out, expected);
}

INSTANTIATE_TEST_SUITE_P(Ways, Images, testing::ValuesIn(ways()),
                         [](const testing::TestParamInfo<Way>& way) { return name_of(way.param); });

}  // namespace

}  // namespace skmd::cpu::test
