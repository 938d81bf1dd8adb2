// SPDX-License-Identifier: Apache-2.0
// Launches that read and write images, whose bytes every device has in a native object of its own.
#include <gtest/gtest.h>

#include <numeric>

#include "intercept/object/launch.h"
#include "partitioner/traits/image_geometry.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kWidth = 64;
constexpr std::uint64_t kHeight = 32;
constexpr std::uint64_t kTexels = kWidth * kHeight;
using Words = std::vector<std::uint32_t>;
using domain::AccessKind;
using domain::NodeId;
using domain::Op;

/// write_image(out, (x, y), in[i]) for one item per texel, or (first column on) for some of each row.
domain::KernelTraits texels_traits(bool image_read, std::int64_t first_column) {
  TraitsBuilder b(image_read ? "copy_image" : "fill_image");
  b.buffer().buffer();
  const NodeId x = b.op(Op::add, b.global_id(0), b.constant(first_column));
  const NodeId place = b.op(Op::add, x, b.op(Op::mul, b.global_id(1), b.constant(kWidth)));
  b.access(AccessKind::read, 1, place, 4).access(AccessKind::write, 0, place, 4);
  auto traits = b.take();
  traits.parameters[0].kind = domain::ParameterKind::image;
  traits.parameters[0].image_access = domain::ImageAccess::write_only;
  traits.accesses.back().element = 0;
  if (!image_read) return traits;
  traits.parameters[1] = traits.parameters[0];
  traits.parameters[1].image_access = domain::ImageAccess::read_only;
  traits.accesses.front().offset = domain::kNoNode;
  return traits;
}

std::map<std::string, Body> image_bodies(std::uint64_t first_column) {
  const Body copy = [first_column](const auto& a, const auto& id) {
    const std::uint64_t at = id[1] * kWidth + id[0] + first_column;
    a[0].template as<std::uint32_t>()[at] = a[1].template as<std::uint32_t>()[at] + 1;
  };
  return {{"copy_image", copy}, {"fill_image", copy}};
}

struct World : FakeMachine {
  explicit World(const std::vector<bool>& discrete, std::uint64_t first = 0)
      : FakeMachine(discrete), column(first), in(storage(kTexels * 4)), out(image()), other(image()) {
    for (const auto& fake : fakes) fake->add_bodies(image_bodies(first));
    fill(in, 100);
    fill(out, 5000);
  }
  std::uint64_t column;
  std::shared_ptr<Storage> in, out, other;

  std::shared_ptr<Storage> image() {
    ImageShape shape;
    shape.format = {CL_R, CL_UNSIGNED_INT32};
    shape.desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    shape.desc.image_width = kWidth;
    shape.desc.image_height = kHeight;
    shape.element_bytes = 4;
    return *Storage::create_image(machine, shape, kTexels * 4, nullptr, nullptr);
  }
  void fill(const std::shared_ptr<Storage>& storage, std::uint32_t first) {
    Words words(kTexels);
    std::iota(words.begin(), words.end(), first);
    write(storage, 0, words.data(), kTexels * 4);
  }
  Words contents(const std::shared_ptr<Storage>& storage) {
    Words words(kTexels);
    read(storage, 0, words.data(), kTexels * 4);
    return words;
  }
  static ImageView view(const std::shared_ptr<Storage>& storage) { return {storage, 0, nullptr, 0, storage->bytes()}; }
  [[nodiscard]] domain::NdRange range() const { return {2, {0, 0, 0}, {kWidth - column, kHeight, 1}, {4, 4, 1}}; }
  cl_int fill_image() {
    return launch(kernel(texels_traits(false, static_cast<std::int64_t>(column))), range(), {view(out), whole(in)})
        ->wait();
  }
  cl_int copy_image(const std::shared_ptr<Storage>& to, const std::shared_ptr<Storage>& from) {
    return launch(kernel(texels_traits(true, 0)), range(), {view(to), view(from)})->wait();
  }
  [[nodiscard]] bool all_worked() const {
    return std::all_of(fakes.begin(), fakes.end(), [](const auto& fake) { return fake->counters.groups != 0; });
  }
};

/// What fill_image leaves.
Words filled(std::uint64_t column = 0) {
  Words words(kTexels);
  for (std::uint32_t i = 0; i < kTexels; ++i) words[i] = i % kWidth >= column ? i + 101 : i + 5000;
  return words;
}

class Images : public testing::TestWithParam<std::vector<bool>> {};

TEST_P(Images, RowsComeFromTheDeviceThatWroteThem) {
  World w(GetParam());
  EXPECT_EQ(w.fill_image(), CL_COMPLETE);
  EXPECT_TRUE(w.all_worked());
  EXPECT_EQ(w.contents(w.out), filled());
}

TEST_P(Images, RowsWrittenInPartKeepTheRest) {
  World w(GetParam(), 8);
  EXPECT_EQ(w.fill_image(), CL_COMPLETE);
  EXPECT_TRUE(w.all_worked());
  EXPECT_EQ(w.contents(w.out), filled(8));
}

TEST_P(Images, EveryDeviceReadsAllThatOthersWrote) {
  World w(GetParam());
  EXPECT_EQ(w.fill_image(), CL_COMPLETE);
  EXPECT_EQ(w.copy_image(w.other, w.out), CL_COMPLETE);
  EXPECT_EQ(w.copy_image(w.out, w.other), CL_COMPLETE);
  Words expected = filled();
  for (std::uint32_t& word : expected) word += 2;
  EXPECT_TRUE(w.all_worked());
  EXPECT_EQ(w.contents(w.out), expected);
}

TEST_P(Images, WhatIsWrittenThroughAMapSurvivesAKernel) {
  World w(GetParam());
  w.machine.settings.verify = true;
  const domain::RangeSet mapped({{(4 * kWidth + 8) * 4, (4 * kWidth + 16) * 4}, {20 * kWidth * 4, 21 * kWidth * 4}});
  w.out->mapped_for_writing(mapped);
  auto* words = reinterpret_cast<std::uint32_t*>(*w.out->host());
  for (const auto& range : mapped.ranges()) std::fill(words + range.begin / 4, words + range.end / 4, 7);
  EXPECT_EQ(w.fill_image(), CL_COMPLETE);
  EXPECT_TRUE(w.all_worked());
  // As the unmap does: the rest is fetched around the mapped bytes, which are the host's.
  ASSERT_TRUE(w.out->gather(domain::ByteRange{0, kTexels * 4}, "unmap").ok());
  w.out->host_written(domain::ByteRange{0, kTexels * 4});
  w.out->unmapped(mapped);
  Words expected = filled();
  for (const auto& range : mapped.ranges())
    std::fill(expected.begin() + static_cast<std::ptrdiff_t>(range.begin / 4),
              expected.begin() + static_cast<std::ptrdiff_t>(range.end / 4), 7);
  EXPECT_EQ(w.contents(w.out), expected);
  EXPECT_NE(w.machine.observer->stats_json().find("\"mismatches\":0"), std::string::npos);
}

TEST_P(Images, VerificationAgrees) {
  World w(GetParam(), 4);
  w.machine.settings.verify = true;
  EXPECT_EQ(w.fill_image(), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.out), filled(4));
  const std::string stats = w.machine.observer->stats_json();
  EXPECT_NE(stats.find("\"mismatches\":0"), std::string::npos) << stats;
  EXPECT_NE(stats.find("\"verify\":{\"launches\":1,"), std::string::npos) << stats;
}

INSTANTIATE_TEST_SUITE_P(Machines, Images,
                         testing::Values(std::vector<bool>{true, true}, std::vector<bool>{false, true},
                                         std::vector<bool>{false, false}, std::vector<bool>{true, false, true}));

TEST(ImageTransfers, AreTheRowsThatAreNeededAndNoOthers) {
  World w({true, true});
  EXPECT_EQ(w.fill_image(), CL_COMPLETE);
  // Every row is surely written: nothing but half of the buffer goes to each device.
  for (const auto& fake : w.fakes) EXPECT_EQ(fake->counters.bytes_to, kTexels * 2);
  EXPECT_EQ(w.contents(w.out), filled());
  for (const auto& fake : w.fakes) EXPECT_EQ(fake->counters.bytes_from, kTexels * 2);
}

TEST(ImageTransfers, OldRowsGoToTheDeviceThatWritesThemInPart) {
  World w({true, true}, 8);
  EXPECT_EQ(w.fill_image(), CL_COMPLETE);
  for (const auto& fake : w.fakes) EXPECT_LE(fake->counters.bytes_to, kTexels * 4);  // half an image, half a buffer
}

}  // namespace
}  // namespace skmd::icd::test
