// SPDX-License-Identifier: Apache-2.0
// Databases that former versions of SKMD made. profile-N.db is of the last SKMD of version N: samples of two origins,
// counts of more than are kept; from version 2 on with calibrations. profile-N.jsonl is what it exported.
#include <algorithm>
#include <sstream>

#include "profiler/database/calibration_text.h"
#include "profiler/database/exchange.h"
#include "profiler/database/sample_text.h"
#include "tests/profiler/database/fixture.h"
#include "tests/profiler/database/samples.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using Mode = ProfileDatabase::Mode;

class FormerVersion : public test::DatabaseFile, public testing::WithParamInterface<int> {
 protected:
  FormerVersion() { fs::copy_file(former(".db"), file_); }
  static fs::path former(const std::string& ending) {
    return fs::path(FORMER_VERSIONS) / ("profile-" + std::to_string(GetParam()) + ending);
  }
  static std::vector<std::string> samples_of(const ProfileDatabase& database, const std::string& origin = "") {
    SampleFilter filter;
    filter.origin = origin;
    std::vector<std::string> lines;
    const auto samples = database.samples(filter);
    if (samples)
      for (const auto& sample : *samples) lines.push_back(line_of(sample));
    return lines;
  }
  static std::vector<std::string> calibrations_of(const ProfileDatabase& database) {
    std::vector<std::string> lines;
    const auto found = database.calibrations();
    if (!found) return lines;
    for (const auto& device : found->devices) lines.push_back(line_of(device));
    for (const auto& link : found->links) lines.push_back(line_of(link));
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  static std::vector<std::string> expected(bool calibrations) {
    std::ifstream in(former(".jsonl"));
    std::vector<std::string> lines;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line))
      if (is_calibration(line) == calibrations) lines.push_back(line);
    return lines;
  }
};

TEST_P(FormerVersion, BecomesTodaysAndLosesNothing) {
  ASSERT_EQ(*open(Mode::read_only).schema(), GetParam());
  const auto before = open(Mode::read_only).contents();
  const auto measured = samples_of(open(Mode::read_only), "measured");
  ASSERT_FALSE(measured.empty());
  ASSERT_EQ(expected(true).empty(), GetParam() < 2);
  auto database = open(Mode::existing);
  EXPECT_EQ(database.notice(), "");
  EXPECT_EQ(*database.schema(), kSchemaVersion);
  EXPECT_EQ(samples_of(database), expected(false));
  EXPECT_EQ(samples_of(database, "measured"), measured);
  EXPECT_EQ(calibrations_of(database), expected(true));
  const auto after = database.contents();
  ASSERT_EQ(after->size(), before->size());
  std::uint64_t seen = 0, kept = 0;
  for (std::size_t i = 0; i < after->size(); ++i) {
    EXPECT_EQ((*after)[i].kernel, (*before)[i].kernel);
    EXPECT_EQ((*after)[i].device, (*before)[i].device);
    EXPECT_EQ((*after)[i].seen, (*before)[i].seen);
    EXPECT_EQ((*after)[i].origin, (*before)[i].origin);
    seen += (*after)[i].seen;
    kept += (*after)[i].samples;
  }
  EXPECT_EQ(seen, 12u);
  EXPECT_EQ(kept, expected(false).size());
  EXPECT_TRUE(database.check()->empty());
  EXPECT_EQ(*database.add(std::vector{test::sample(5)}), 1u);
  EXPECT_EQ(samples_of(open()).size(), kept + 1);
}

TEST_P(FormerVersion, KnowsItsSamplesWhenTheyComeBack) {
  auto database = open(Mode::existing);
  const auto file = read_exchange(former(".jsonl"));
  ASSERT_TRUE(file) << file.error().reason;
  EXPECT_EQ(*database.add(file->samples, "imported"), 0u);
  EXPECT_EQ(*database.add(file->calibrations, "imported"), 0u);
}

TEST_P(FormerVersion, IsLeftAsItIsByReaders) {
  const std::string bytes = content();
  const auto database = open(Mode::read_only);
  EXPECT_EQ(samples_of(database), expected(false));
  EXPECT_EQ(calibrations_of(database), expected(true));
  EXPECT_TRUE(database.contents());
  EXPECT_TRUE(database.check()->empty());
  EXPECT_EQ(content(), bytes);
}

TEST_P(FormerVersion, MergesAsWhatItKeeps) {
  const auto old = open(Mode::read_only);
  const std::size_t kept = expected(false).size();
  auto database = ProfileDatabase::open(folder_ / "new.db", Mode::create);
  ASSERT_TRUE(database);
  const auto seen = [&] {
    std::uint64_t total = 0;
    const auto contents = database->contents();
    for (const KernelOnDevice& entry : *contents) total += entry.seen;
    return total;
  };
  EXPECT_EQ(database->merge(*old.contribution())->samples, kept);
  EXPECT_EQ(seen(), kept);
  EXPECT_EQ(database->merge(*old.contribution())->samples, 0u);
  EXPECT_EQ(seen(), kept);
  EXPECT_EQ(calibrations_of(*database), expected(true));
}

TEST_P(FormerVersion, IsKeptWholeUnderAnotherNameWhereAStepFails) {
  run("CREATE TABLE seen_of_all(x)");  // in the way of a statement of the last step
  const auto database = ProfileDatabase::open(file_, Mode::existing);
  ASSERT_TRUE(database) << database.error().reason;
  EXPECT_NE(database->notice().find("already"), std::string::npos) << database->notice();
  EXPECT_EQ(damaged_files(), 1);
  fs::path kept;
  for (const auto& entry : fs::directory_iterator(folder_))
    if (entry.path() != file_) kept = entry.path();
  fs::rename(kept, file_);
  EXPECT_EQ(*open(Mode::read_only).schema(), GetParam());
  EXPECT_EQ(samples_of(open(Mode::read_only)), expected(false));
  run("DROP TABLE seen_of_all");
  EXPECT_EQ(*open(Mode::existing).schema(), kSchemaVersion);
  EXPECT_EQ(samples_of(open()), expected(false));
}

INSTANTIATE_TEST_SUITE_P(All, FormerVersion, testing::Range(1, static_cast<int>(kSchemaVersion)));

}  // namespace
}  // namespace skmd::profiler
