// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/stored_profile.h"

#include <algorithm>
#include <cstring>

#include "partitioner/model/calibration_curves.h"
#include "profiler/database/exchange.h"
#include "profiler/database/journal.h"
#include "profiler/database/profile_place.h"
#include "profiler/database/take_in.h"
#include "tests/profiler/database/fixture.h"

namespace skmd::profiler::test {
namespace {

namespace fs = std::filesystem;
using domain::DeviceKey;
using domain::KernelKey;
using Haste = domain::ProfileStore::Haste;
using domain::ProfileSample;
using domain::SampleOrigin;

const DeviceKey kHere{"platform", "device", "2", 4};
const KernelKey kKernel{"program", "kernel", "ready"};

ProfileSample sample(std::uint64_t ns, const DeviceKey& device = kHere, const KernelKey& kernel = kKernel) {
  ProfileSample one;
  one.kernel = kernel;
  one.device = device;
  one.range = {1, {0, 0, 0}, {64 * 16, 1, 1}, {64, 1, 1}};
  one.span = {0, 16};
  one.kernel_ns = ns;
  one.date = static_cast<std::int64_t>(ns);
  return one;
}

domain::DeviceCalibration calibration(const DeviceKey& device, double bytes_per_second) {
  domain::DeviceCalibration one;
  one.device = device;
  one.memory.beyond_per_second = bytes_per_second;
  one.date = 1700000000;
  return one;
}

class StoredProfileTest : public DatabaseFile {
 protected:
  StoredProfileTest() { fs::create_directories(shipped_); }
  [[nodiscard]] StoredProfileOptions options(bool read_only = false) const {
    return {file_, read_only, shipped_, {kHere}};
  }
  void ship(const std::vector<ProfileSample>& samples, const char* name = "made-up.jsonl") {
    Exchange exchange;
    exchange.samples = samples;
    ASSERT_TRUE(write_exchange(shipped_ / name, exchange));
  }
  [[nodiscard]] std::size_t journals() const { return count_journals(file_); }

  const fs::path shipped_ = folder_ / "shipped";
};

TEST_F(StoredProfileTest, TellsTheSamplesOfAKernelOnADevice) {
  DeviceKey older = kHere;
  older.driver = "1";
  ASSERT_TRUE(open().add(
      {{sample(1), sample(2), sample(3, older), sample(4, {"platform", "another", "2", 4}),
        sample(5, kHere, {"program", "other", "ready"}), sample(6, kHere, {"program", "kernel", "whole"})}}));
  ASSERT_TRUE(open().add({{sample(7)}}, "imported"));
  StoredProfile profile(options());
  const auto found = profile.samples(kKernel, kHere);
  ASSERT_TRUE(found) << found.error().reason;
  std::vector<std::pair<std::uint64_t, SampleOrigin>> got;
  for (const auto& one : *found) got.emplace_back(one.sample.kernel_ns, one.origin);
  std::sort(got.begin(), got.end());
  EXPECT_EQ(
      got,
      (std::vector<std::pair<std::uint64_t, SampleOrigin>>{
          {1, SampleOrigin::here}, {2, SampleOrigin::here}, {3, SampleOrigin::here}, {7, SampleOrigin::imported}}));
  EXPECT_TRUE(profile.samples({"program", "unknown", "ready"}, kHere)->empty());
  profile.rest();
  EXPECT_EQ(profile.samples(kKernel, kHere)->size(), 4u);
}

TEST_F(StoredProfileTest, OfManyItReadsTheNewestOfEachSize) {
  std::vector<ProfileSample> many;
  for (std::uint64_t i = 1; i <= 200; ++i) many.push_back(sample(i));
  for (std::uint64_t i = 1; i <= 4; ++i) {
    many.push_back(sample(i));
    many.back().range.global[0] = 64 * 1024;
  }
  ASSERT_TRUE(open().add(many));
  StoredProfile profile(options());
  const auto found = profile.samples(kKernel, kHere);
  ASSERT_TRUE(found);
  EXPECT_LT(found->size(), 100u);
  const auto large = std::count_if(found->begin(), found->end(),
                                   [](const auto& one) { return one.sample.range.global[0] == 64 * 1024; });
  EXPECT_EQ(large, 4);
  for (const auto& one : *found)
    if (one.sample.range.global[0] == 64 * 16) {
      EXPECT_GT(one.sample.kernel_ns, 150u);
    }
}

TEST_F(StoredProfileTest, ReadsNothingWhereNothingIs) {
  StoredProfile profile(options());
  EXPECT_TRUE(profile.samples(kKernel, kHere)->empty());
  EXPECT_EQ(profile.bounds(kHere).bytes_per_second, 0.0);
  EXPECT_FALSE(fs::exists(file_));
  write("");  // another process is just making it
  EXPECT_TRUE(profile.samples(kKernel, kHere)->empty());
}

TEST_F(StoredProfileTest, WhatCannotBeReadIsAnErrorAndStaysAsItIs) {
  const auto failure = [&] {
    StoredProfile profile(options());
    const auto found = profile.samples(kKernel, kHere);
    profile.bounds(kHere);
    return found ? std::string() : found.error().reason;
  };
  write(std::string(4096, 'x'));
  EXPECT_NE(failure(), "");
  EXPECT_EQ(content(), std::string(4096, 'x'));
  write("");
  run("CREATE TABLE theirs(x)");
  EXPECT_NE(failure().find("another program's"), std::string::npos) << failure();
  write("");
  open();
  run("PRAGMA user_version=1000");
  EXPECT_NE(failure().find("newer"), std::string::npos) << failure();
  fs::remove(file_);
  fs::create_directory(file_);
  EXPECT_NE(failure(), "");
  EXPECT_EQ(damaged_files(), 0);
}

// Pages that no question needs may be anything.
TEST_F(StoredProfileTest, LooksAtNoOtherPages) {
  std::vector<ProfileSample> others;
  for (int i = 0; i < 400; ++i) others.push_back(sample(1, kHere, {"program", "other" + std::to_string(i), "ready"}));
  ASSERT_TRUE(open().add(others));
  ASSERT_TRUE(open().add({{sample(1)}}));
  StoredProfile profile(options());
  const std::string whole = content();
  // The samples of others, by their text.
  std::string broken = whole;
  const std::size_t page = whole.find("\"kernel\":\"other200\"") / 4096 * 4096;
  ASSERT_GT(page, 4096u);
  std::memset(broken.data() + page, 0x55, 4096);
  write(broken);
  const auto found = profile.samples(kKernel, kHere);
  ASSERT_TRUE(found) << found.error().reason;
  EXPECT_EQ(found->size(), 1u);
}

TEST_F(StoredProfileTest, ShippedFilesAreTakenInOnceForDevicesThatAreHere) {
  DeviceKey older = kHere;
  older.driver = "1";
  ship({sample(1, older), sample(2, {"platform", "another", "2", 4})});
  StoredProfile profile(options());
  EXPECT_EQ(profile.haste(), Haste::most);
  EXPECT_TRUE(profile.tend()->more);
  EXPECT_EQ(profile.haste(), Haste::none);
  EXPECT_FALSE(profile.tend()->more);
  auto found = profile.samples(kKernel, kHere);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().origin, SampleOrigin::shipped);
  EXPECT_EQ(open().contents()->size(), 1u);
  EXPECT_EQ(open().contents()->front().origin, "shipped");
  // Own samples beside them are what the device is known for.
  ASSERT_TRUE(open().add({{sample(9, older)}}));
  EXPECT_EQ(open().contents()->front().origin, "measured");
  // Another device.
  StoredProfile with_another({file_, false, shipped_, {kHere, {"platform", "another", "3", 4}}});
  EXPECT_EQ(with_another.haste(), Haste::most);
  EXPECT_TRUE(with_another.tend()->more);
  EXPECT_EQ(with_another.samples(kKernel, {"platform", "another", "3", 4})->size(), 1u);
  // Another release's file.
  ship({sample(11, older), sample(12, older), sample(13, older)});
  EXPECT_EQ(profile.haste(), Haste::most);
  EXPECT_TRUE(profile.tend()->more);
  SampleFilter only;
  only.origin = "shipped";
  only.device = kHere.name;
  EXPECT_EQ(open().samples(only)->size(), 3u);
}

TEST_F(StoredProfileTest, WhereNothingFitsNothingIsMade) {
  ship({sample(2, {"platform", "another", "2", 4})});
  std::ofstream(shipped_ / "not read.jsonl") << "no json\n";
  StoredProfile profile(options());
  EXPECT_EQ(profile.haste(), Haste::most);
  EXPECT_FALSE(profile.tend()->more);
  EXPECT_FALSE(fs::exists(file_));
  open();
  EXPECT_FALSE(profile.tend()->more);
  EXPECT_EQ(profile.haste(), Haste::none) << "now there is a place to note it";
}

TEST_F(StoredProfileTest, AFileThatIsNoneIsNamedAndJournalsAreTakenInAllTheSame) {
  std::ofstream(shipped_ / "broken.jsonl") << "no json, but \"device\"\n";
  SampleJournal(file_).add(sample(5), domain::kNoKind);
  StoredProfile profile(options());
  const auto done = profile.tend();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().reason.find("broken.jsonl"), std::string::npos);
  EXPECT_EQ(journals(), 0u);
  EXPECT_EQ(open().samples()->size(), 1u);
}

TEST_F(StoredProfileTest, ADamagedDatabaseIsSetAsideAndTold) {
  write(std::string(4096, 'x'));
  SampleJournal(file_).add(sample(5), domain::kNoKind);
  StoredProfile profile(options());
  const auto done = profile.tend();
  ASSERT_TRUE(done);
  EXPECT_NE(done->notice.find("damaged"), std::string::npos);
  EXPECT_EQ(damaged_files(), 1);
  EXPECT_EQ(profile.samples(kKernel, kHere)->size(), 1u);
}

TEST_F(StoredProfileTest, ReadOnlyShippedFilesAreUsedInMemory) {
  ship({sample(1)});
  SampleJournal(file_).add(sample(5), domain::kNoKind);
  StoredProfile profile(options(true));
  EXPECT_EQ(profile.haste(), Haste::most);
  EXPECT_TRUE(profile.tend()->more);
  ASSERT_EQ(profile.samples(kKernel, kHere)->size(), 1u);
  EXPECT_EQ(profile.samples(kKernel, kHere)->front().origin, SampleOrigin::shipped);
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_EQ(journals(), 1u);
}

TEST_F(StoredProfileTest, ReadOnlyShippedCalibrationsAreUsedInMemoryWhereTheDatabaseHasNone) {
  DeviceKey older = kHere, another{"platform", "another", "2", 4};
  older.driver = "1";
  Exchange exchange;
  exchange.calibrations.devices = {calibration(kHere, 1e9), calibration(another, 2e9)};
  ASSERT_TRUE(write_exchange(shipped_ / "made-up.jsonl", exchange));
  StoredProfile profile(options(true));
  const auto rate = [&](const DeviceKey& device) { return profile.bounds(device).bytes_per_second; };
  EXPECT_EQ(rate(kHere), 0.0);
  EXPECT_TRUE(profile.tend()->more);
  EXPECT_EQ(rate(kHere), domain::bounds_of(calibration(kHere, 1e9)).bytes_per_second);
  EXPECT_GT(rate(kHere), 0.0);
  EXPECT_EQ(rate(older), 0.0) << "as in a database, calibrations are of one driver";
  EXPECT_EQ(rate(another), 0.0) << "it is not here";
  EXPECT_FALSE(fs::exists(file_));
  Calibrations own;
  own.devices = {calibration(kHere, 3e9)};
  ASSERT_TRUE(open().add(own));
  EXPECT_EQ(rate(kHere), domain::bounds_of(calibration(kHere, 3e9)).bytes_per_second);
}

TEST_F(StoredProfileTest, ShippedSamplesCountAsSeenOnce) {
  ship({sample(1), sample(2), sample(3)});
  StoredProfile profile(options());
  ASSERT_TRUE(profile.tend());
  EXPECT_EQ(open().contents()->front().seen, 3u);
  ship({sample(2), sample(3), sample(4), sample(5)}, "another name.jsonl");
  fs::remove(shipped_ / "made-up.jsonl");
  EXPECT_TRUE(profile.tend()->more);
  EXPECT_EQ(open().samples()->size(), 4u) << "the first one is not shipped any more";
  EXPECT_EQ(open().contents()->front().seen, 5u) << "two of four came anew";
}

TEST_F(StoredProfileTest, ManyJournalsAreTakenInSoon) {
  fs::remove_all(shipped_);
  StoredProfile profile(options());
  for (std::uint64_t i = 1; i <= 16; ++i) {
    EXPECT_EQ(profile.haste(), Haste::none);
    SampleJournal(file_).add(sample(i), domain::kNoKind);
  }
  EXPECT_EQ(profile.haste(), Haste::some);
  EXPECT_TRUE(profile.tend()->more);
  EXPECT_EQ(profile.haste(), Haste::none);
  EXPECT_EQ(profile.samples(kKernel, kHere)->size(), 16u);
}

// Of processes that are all too short to take anything in.
TEST_F(StoredProfileTest, WhereVeryManyJournalsLieNoMoreAreMade) {
  for (std::size_t i = 0; i < tuning::kMaxWaiting; ++i)
    std::ofstream(file_.string() + ".samples-1-" + std::to_string(i) + "-0") << "x";
  SampleJournal journal(file_);
  journal.prepare();
  EXPECT_FALSE(journal.wants(1, 1.0));
  EXPECT_NE(journal.progress().problem.find("skmd-profile"), std::string::npos);
  EXPECT_EQ(journals(), tuning::kMaxWaiting);
}

TEST(ProfilePlaceTest, IsTheOneThatIsNamedOrInTheCacheFolder) {
  EXPECT_EQ(profile_place("", "/cache").file, "/cache/profile.db");
  EXPECT_FALSE(profile_place("", "/cache").named);
  EXPECT_FALSE(profile_place("", "/cache").read_only);
  EXPECT_EQ(profile_place("", "").file, "");
  EXPECT_FALSE(profile_place("", "").off);
  EXPECT_EQ(profile_place("/a/b", "/cache").file, "/a/b");
  EXPECT_TRUE(profile_place("/a/b", "/cache").named);
  EXPECT_EQ(profile_place("read:/a/b", "/cache").file, "/a/b");
  EXPECT_TRUE(profile_place("read:/a/b", "/cache").read_only);
  EXPECT_EQ(profile_place("read:", "/cache").file, "/cache/profile.db");
  EXPECT_EQ(profile_place("off", "/cache").file, "");
  EXPECT_TRUE(profile_place("off", "/cache").off);
}

TEST_F(StoredProfileTest, RoundsAreAskedForApart) {
  const KernelKey rounds{kKernel.program, kKernel.name, std::string(domain::kRoundsForm)};
  {
    auto database = ProfileDatabase::open(file_, ProfileDatabase::Mode::create);
    ASSERT_TRUE(database);
    const std::vector all{sample(1000), sample(2000, kHere, rounds)};
    ASSERT_TRUE(database->add(all));
    EXPECT_EQ(database->samples()->size(), 1u) << "rounds time no code, and are no samples to fit to";
  }
  StoredProfile store(options());
  const auto found = store.rounds(kKernel, kHere);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().sample.kernel_ns, 2000u);
  EXPECT_EQ(store.samples(kKernel, kHere)->size(), 1u);
}

}  // namespace
}  // namespace skmd::profiler::test
