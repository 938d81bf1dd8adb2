// SPDX-License-Identifier: Apache-2.0
// Databases that take each other in: samples come once, and `seen` counts each of them once.
#include <limits>

#include "profiler/database/sample_text.h"
#include "tests/profiler/database/fixture.h"
#include "tests/profiler/database/samples.h"

namespace skmd::profiler {
namespace {

using domain::ProfileSample;
using Mode = ProfileDatabase::Mode;
using test::sample;

class Merging : public test::DatabaseFile {
 protected:
  [[nodiscard]] ProfileDatabase named(const std::string& name) const {
    auto database = ProfileDatabase::open(folder_ / name, Mode::create);
    EXPECT_TRUE(database);
    return std::move(*database);
  }
  static std::vector<ProfileSample> samples(std::uint64_t from, std::uint64_t count) {
    std::vector<ProfileSample> made;
    for (std::uint64_t i = 0; i < count; ++i) made.push_back(sample(from + i));
    return made;
  }
  static ProfileDatabase::Merged merge(ProfileDatabase& to, const ProfileDatabase& from) {
    const auto contribution = from.contribution();
    EXPECT_TRUE(contribution);
    const auto merged = to.merge(*contribution);
    EXPECT_TRUE(merged) << (merged ? "" : merged.error().reason);
    return merged ? *merged : ProfileDatabase::Merged{};
  }
  static std::uint64_t seen(const ProfileDatabase& database) {
    std::uint64_t total = 0;
    const auto contents = database.contents();
    if (contents)
      for (const KernelOnDevice& entry : *contents) total += entry.seen;
    return total;
  }
};

TEST_F(Merging, CarriesWhatWasSeenAndNotOnlyWhatIsKept) {
  auto one = named("one.db"), two = named("two.db");
  ASSERT_TRUE(one.add(samples(1, 300)));
  ASSERT_EQ(one.samples()->size(), 256u);
  EXPECT_EQ(merge(two, one).samples, 256u);
  EXPECT_EQ(two.samples()->size(), 256u);
  EXPECT_EQ(seen(two), 300u);
  EXPECT_TRUE(two.check()->empty());
}

TEST_F(Merging, AgainChangesNothing) {
  auto one = named("one.db"), two = named("two.db");
  ASSERT_TRUE(one.add(samples(1, 300)));
  ASSERT_TRUE(two.add(samples(1000, 200)));
  merge(two, one);
  EXPECT_EQ(seen(two), 500u);
  const auto kept = *two.samples();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(merge(two, one).samples, 0u);
    EXPECT_EQ(seen(two), 500u);
    EXPECT_EQ(*two.samples(), kept);
  }
}

TEST_F(Merging, ItselfChangesNothing) {
  auto one = named("one.db");
  ASSERT_TRUE(one.add(samples(1, 300)));
  EXPECT_EQ(merge(one, one).samples, 0u);
  EXPECT_EQ(seen(one), 300u);
}

TEST_F(Merging, ByEveryWayCountsOnce) {
  auto one = named("one.db"), two = named("two.db"), three = named("three.db");
  ASSERT_TRUE(one.add(samples(1, 10)));
  ASSERT_TRUE(two.add(samples(100, 5)));
  merge(two, one);
  merge(three, two);
  merge(three, one);
  EXPECT_EQ(seen(three), 15u);
  merge(one, three);
  EXPECT_EQ(seen(one), 15u);
  ASSERT_TRUE(one.add(samples(200, 1)));
  merge(three, one);
  merge(two, three);
  EXPECT_EQ(seen(two), 16u);
  EXPECT_EQ(two.samples()->size(), 16u);
}

TEST_F(Merging, KeepsWhereSamplesAreFrom) {
  auto one = named("one.db"), two = named("two.db");
  ASSERT_TRUE(one.add(samples(1, 3), "imported"));
  merge(two, one);
  EXPECT_EQ(two.contents()->front().origin, "imported");
  ASSERT_TRUE(one.add(samples(10, 1), "measured"));
  merge(two, one);
  EXPECT_EQ(two.contents()->front().origin, "measured");
}

TEST_F(Merging, TakesAllOrNothing) {
  auto one = named("one.db"), two = named("two.db");
  ASSERT_TRUE(one.add(samples(1, 3)));
  auto contribution = *one.contribution();
  domain::DeviceCalibration wrong;
  wrong.device = {"platform", "device", "1.0", 8};
  wrong.launch_seconds = std::numeric_limits<double>::quiet_NaN();
  contribution.measured_calibrations.devices.push_back(wrong);
  EXPECT_FALSE(two.merge(contribution));
  EXPECT_TRUE(two.samples()->empty());
  EXPECT_TRUE(two.contents()->empty());
}

}  // namespace
}  // namespace skmd::profiler
