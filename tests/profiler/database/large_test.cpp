// SPDX-License-Identifier: Apache-2.0
// Databases whose pages are not all looked at before samples are taken in.
#include "profiler/database/journal.h"
#include "profiler/database/take_in.h"
#include "tests/profiler/database/fixture.h"
#include "tests/profiler/database/samples.h"

namespace skmd::profiler {
namespace {

constexpr std::size_t kPage = 4096;
constexpr char kTableLeaf = 0x0d;  // the first byte of such a page: SQLite's file format, section 1.6

class Large : public test::DatabaseFile {
 protected:
  void SetUp() override {
    auto database = open();
    std::vector<domain::ProfileSample> samples;
    for (std::uint64_t i = 0; i < 12'000; ++i)
      samples.push_back(test::sample(i + 1, "kernel" + std::to_string(i / 100)));
    ASSERT_TRUE(database.add(samples));
    ASSERT_GT(database.bytes(), std::uint64_t{4} << 20);
  }
  void leave_journal(const std::string& kernel) {
    SampleJournal journal(file_);
    journal.add(test::sample(1, kernel), domain::kNoKind);
  }
  [[nodiscard]] std::size_t kept(const std::string& kernel) {
    SampleFilter filter;
    filter.kernel = kernel;
    const auto samples = open().samples(filter);
    return samples ? samples->size() : 0;
  }
};

TEST_F(Large, DamageWhereSamplesGoIsSetAsideAndTheSamplesAreKept) {
  std::string bytes = content();
  for (std::size_t page = 1; page < bytes.size() / kPage; ++page)
    if (bytes[page * kPage] == kTableLeaf) bytes[page * kPage] = 0;
  write(bytes);
  leave_journal("new");
  const auto taken = take_in_journals(file_);
  ASSERT_TRUE(taken) << taken.error().reason;
  EXPECT_EQ(taken->samples, 1u);
  EXPECT_NE(taken->notice.find("is damaged"), std::string::npos) << taken->notice;
  EXPECT_EQ(damaged_files(), 1);
  EXPECT_EQ(kept("new"), 1u);
}

TEST_F(Large, DamageElsewhereWaitsUntilEveryPageIsLookedAt) {
  std::string bytes = content();
  std::size_t page = bytes.size() / kPage / 2;
  while (page < bytes.size() / kPage && bytes[page * kPage] != kTableLeaf) ++page;
  ASSERT_LT(page, bytes.size() / kPage * 9 / 10) << "no such page but at the end, where samples go";
  bytes[page * kPage] = 0;
  write(bytes);
  leave_journal("new");
  const auto taken = take_in_journals(file_);
  ASSERT_TRUE(taken) << taken.error().reason;
  EXPECT_EQ(taken->samples, 1u);
  EXPECT_EQ(taken->notice, "");
  EXPECT_EQ(damaged_files(), 0);
  EXPECT_NE(open().notice().find("is damaged"), std::string::npos);
  EXPECT_EQ(damaged_files(), 1);
}

}  // namespace
}  // namespace skmd::profiler
