// SPDX-License-Identifier: Apache-2.0
// What has to go where there is too much.
#include <algorithm>
#include <map>
#include <random>

#include "profiler/database/sample_text.h"
#include "tests/profiler/database/fixture.h"
#include "tests/profiler/database/samples.h"

namespace skmd::profiler {
namespace {

using domain::ProfileSample;
using Mode = ProfileDatabase::Mode;
using test::sample;

class Limits : public test::DatabaseFile {
 protected:
  ProfileDatabase small(std::uint64_t bytes = std::uint64_t{1} << 20, std::int64_t samples = 1000000) const {
    auto database = ProfileDatabase::open(file_, Mode::create, {bytes, samples});
    EXPECT_TRUE(database);
    return std::move(*database);
  }
  static std::vector<ProfileSample> many(const std::string& kernel, std::uint64_t from, std::uint64_t count,
                                         std::int64_t date = 1700000000) {
    std::vector<ProfileSample> made;
    for (std::uint64_t i = 0; i < count; ++i) {
      made.push_back(sample(from + i, kernel));
      made.back().date = date;
    }
    return made;
  }
  static std::map<std::string, std::uint64_t> kept_of(const ProfileDatabase& database) {
    std::map<std::string, std::uint64_t> kept;
    const auto contents = database.contents();
    if (contents)
      for (const KernelOnDevice& entry : *contents) kept[entry.kernel.name] = entry.samples;
    return kept;
  }
  static std::vector<std::string> lines_of(const ProfileDatabase& database) {
    std::vector<std::string> lines;
    const auto samples = database.samples();
    if (samples)
      for (const ProfileSample& one : *samples) lines.push_back(line_of(one));
    return lines;
  }
};

TEST_F(Limits, AreThoseThatAreDocumented) {
  EXPECT_EQ(DatabaseLimits{}.file_bytes, std::uint64_t{64} << 20);
  EXPECT_EQ(DatabaseLimits{}.samples, 256);
}

TEST_F(Limits, TheNewestOfTooManyAreKeptAndAllAreCounted) {
  constexpr int kMax = 256;
  auto database = open();
  std::vector<ProfileSample> more;
  for (int i = 0; i < kMax + 50; ++i) {
    more.push_back(sample(1000 + static_cast<std::uint64_t>(i)));
    more.back().date += i;
  }
  std::shuffle(more.begin(), more.end(), std::mt19937(5));
  ASSERT_TRUE(database.add(more));
  ASSERT_TRUE(database.add(std::vector{sample(1, "k", "another tag")}));
  const auto kept = database.samples({"k", "", {""}, 0});
  ASSERT_EQ(kept->size(), static_cast<std::size_t>(kMax));
  for (const auto& one : *kept) EXPECT_GE(one.date, 1700000050);
  const auto contents = database.contents();
  EXPECT_EQ(contents->front().seen, static_cast<std::uint64_t>(kMax + 51));
  EXPECT_EQ(contents->front().samples, static_cast<std::uint64_t>(kMax + 1));
}

TEST_F(Limits, MeasuredSamplesCountAlsoWhereAllThatAreKeptAreNewer) {
  auto database = small(1 << 20, 3);
  EXPECT_EQ(*database.add(many("k", 1, 3)), 3u);
  EXPECT_EQ(*database.add(many("k", 10, 2, 1600000000)), 2u);
  EXPECT_EQ(database.contents()->front().seen, 5u);
  EXPECT_EQ(database.contents()->front().samples, 3u);
  const auto kept = *database.samples();
  for (const ProfileSample& one : kept) EXPECT_EQ(one.date, 1700000000);
}

TEST_F(Limits, ImportingMoreThanAreKeptAgainChangesNothing) {
  auto database = small(std::uint64_t{8} << 20, 256);
  auto samples = many("k", 1, 400);  // of one second: which ones are kept must not depend on the order
  EXPECT_EQ(*database.add(samples, "imported"), 400u);
  const auto lines = lines_of(database);
  ASSERT_EQ(lines.size(), 256u);
  std::shuffle(samples.begin(), samples.end(), std::mt19937(7));
  EXPECT_EQ(*database.add(samples, "imported"), 0u);
  EXPECT_EQ(lines_of(database), lines);
  EXPECT_EQ(database.contents()->front().seen, 400u);
}

TEST_F(Limits, TheFileStaysBelowItsLimitHoweverMuchComesAtOnce) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 20;
  auto database = small(kLimit);
  std::vector<ProfileSample> all;
  for (int k = 0; k < 20; ++k) {
    const auto more = many("kernel " + std::to_string(k), 1, 300);
    all.insert(all.end(), more.begin(), more.end());
  }
  ASSERT_TRUE(database.add(all)) << "6,000 samples of close to 1 KiB with indexes";
  EXPECT_LE(database.bytes(), kLimit);
  EXPECT_LE(std::filesystem::file_size(file_), kLimit);
  EXPECT_GT(database.bytes(), kLimit / 2);  // and is used
  EXPECT_TRUE(database.check()->empty());
  for (std::uint64_t round = 0; round < 20; ++round) {
    ASSERT_TRUE(database.add(many("later", 1000 * (round + 1), 200)));
    ASSERT_LE(std::filesystem::file_size(file_), kLimit) << round;
  }
  EXPECT_TRUE(database.check()->empty());
}

TEST_F(Limits, WhatWasNotUsedForLongestGoesFirst) {
  auto database = small();
  // Dates say the contrary of uses.
  ASSERT_TRUE(database.add(many("old but used", 1, 300, 1000)));
  ASSERT_TRUE(database.add(many("new but unused", 1, 300, 1700000000)));
  ASSERT_TRUE(database.add(many("old but used", 5000, 1, 1001)));
  // More and more of another one, until something has to go.
  for (std::uint64_t round = 0; round < 100; ++round) {
    ASSERT_TRUE(database.add(many("used now", 1000 * (round + 1), 20, 500)));
    const auto kept = kept_of(database);
    if (!kept.contains("new but unused") || kept.at("new but unused") == 300) continue;
    EXPECT_EQ(kept.at("old but used"), 301u);
    EXPECT_EQ(kept.at("used now"), 20 * (round + 1));
    return;
  }
  FAIL() << "nothing had to go, or all did at once";
}

TEST_F(Limits, WhatIsTakenInAgainIsNoUse) {
  auto database = small();
  ASSERT_TRUE(database.add(many("first", 1, 300)));
  ASSERT_TRUE(database.add(many("second", 1, 300)));
  ASSERT_TRUE(database.add(many("first", 1, 300)));  // known samples: nothing ran
  for (std::uint64_t round = 0; round < 100; ++round) {
    ASSERT_TRUE(database.add(many("other", 1000 * (round + 1), 20)));
    const auto kept = kept_of(database);
    if (kept.contains("first") && kept.at("first") == 300) continue;
    EXPECT_EQ(kept.at("second"), 300u);
    return;
  }
  FAIL() << "nothing had to go";
}

TEST_F(Limits, AKernelThatLostAllItsSamplesIsForgotten) {
  auto database = small();
  ASSERT_TRUE(database.add(many("early", 1, 50)));
  for (std::uint64_t round = 0; round < 30; ++round) ASSERT_TRUE(database.add(many("late", 1000 * (round + 1), 200)));
  EXPECT_FALSE(kept_of(database).contains("early"));
  EXPECT_EQ(database.contents()->size(), 1u);
  EXPECT_TRUE(database.check()->empty());
  ASSERT_TRUE(database.add(many("early", 1, 50)));
  EXPECT_EQ(kept_of(database).at("early"), 50u);
}

}  // namespace
}  // namespace skmd::profiler
