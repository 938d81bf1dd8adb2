// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/database.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "profiler/database/exchange.h"
#include "profiler/database/sample_text.h"
#include "tests/profiler/database/fixture.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::ProfileSample;
using Mode = ProfileDatabase::Mode;

ProfileSample sample(std::uint64_t ns, const std::string& kernel = "k", const std::string& tag = "") {
  ProfileSample one;
  one.kernel = {"0123", kernel, "ready"};
  one.device = {"platform", "device", "1.0", 8};
  one.tag = tag;
  one.range.work_dim = 2;
  one.range.offset = {1, 0, 0};
  one.range.global = {640, 2, 1};
  one.range.local = {64, 1, 1};
  one.span = {3, 20};
  one.boxes = 3;
  one.buffers = {{0, 4096}, {2, 1ull << 40}};
  one.scalars = {{1, -7}};
  one.group_operations = 0.1;
  one.group_bytes = 1e300;
  one.data_decides_work = true;
  one.kernel_ns = ns;
  one.to_ns = 5;
  one.warm = true;
  one.commit = "abc";
  one.date = 1700000000;
  return one;
}

class Database : public test::DatabaseFile {};

TEST_F(Database, KeepsEveryFieldOfASample) {
  std::vector<ProfileSample> given{sample(10), sample(20, "other", "paper")};
  given.back().passed_over = 12;
  EXPECT_EQ(*open().add(given), 2u);
  const auto found = open(Mode::read_only).samples();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size(), 2u);
  for (const ProfileSample& one : given) EXPECT_NE(std::find(found->begin(), found->end(), one), found->end());
}

TEST_F(Database, IsReadableByItsOwnerAlone) {
  open();
  struct stat state {};
  ASSERT_EQ(::stat(file_.c_str(), &state), 0);
  EXPECT_EQ(state.st_mode & 0777, 0600u);
}

TEST_F(Database, NeverHasAWriteAheadLog) {
  auto database = open();
  ASSERT_TRUE(database.add(std::vector{sample(1)}));
  EXPECT_FALSE(fs::exists(file_.string() + "-wal"));
  EXPECT_EQ(content()[18], 1);  // file format: 2 is WAL
}

TEST_F(Database, TakesASampleInOnce) {
  auto database = open();
  EXPECT_EQ(*database.add(std::vector{sample(1), sample(1), sample(2)}), 2u);
  EXPECT_EQ(*database.add(std::vector{sample(2), sample(3)}), 1u);
  EXPECT_EQ(database.contents()->front().seen, 3u);
}

TEST_F(Database, FiltersByNameDeviceTagAndDate) {
  auto database = open();
  auto old = sample(3, "b", "y");
  old.date = 1000;
  ASSERT_TRUE(database.add(std::vector{sample(1, "a", "x"), sample(2, "a", "y"), old}));
  EXPECT_EQ(database.samples({"a", "", {}, 0})->size(), 2u);
  EXPECT_EQ(database.samples({"", "", {"x", "y"}, 0})->size(), 3u);
  EXPECT_EQ(database.samples({"", "device", {"y"}, 0})->size(), 2u);
  EXPECT_EQ(database.samples({"", "none", {}, 0})->size(), 0u);
  EXPECT_EQ(database.samples({"", "", {}, 2000})->size(), 1u);
  EXPECT_EQ(*database.prune({"", "", {}, 2000}), 1u);
  EXPECT_EQ(database.samples()->size(), 2u);
}

TEST_F(Database, ANewerOneIsLeftUntouched) {
  ASSERT_TRUE(open().add(std::vector{sample(1)}));
  run("PRAGMA user_version=99");
  const std::string before = content();
  for (const Mode mode : {Mode::create, Mode::existing, Mode::read_only}) {
    const auto database = ProfileDatabase::open(file_, mode);
    ASSERT_FALSE(database);
    EXPECT_NE(database.error().reason.find("newer"), std::string::npos);
  }
  EXPECT_EQ(content(), before);
}

TEST_F(Database, AnotherProgramsIsKeptUnderAnotherName) {
  run("CREATE TABLE theirs(x); INSERT INTO theirs VALUES(1)");
  const std::string before = content();
  auto database = open();
  EXPECT_NE(database.notice().find("another program"), std::string::npos);
  EXPECT_EQ(damaged_files(), 1);
  EXPECT_EQ(*database.add(std::vector{sample(1)}), 1u);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    if (entry.path() == file_) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), before);
  }
}

TEST_F(Database, DamagedFilesOfOneDayGetDifferentNames) {
  for (int i = 1; i <= 3; ++i) {
    write("no database at all, " + std::to_string(i));
    open();
    EXPECT_EQ(damaged_files(), i);
  }
}

TEST_F(Database, AReaderNeverRenames) {
  write("no database at all");
  EXPECT_FALSE(ProfileDatabase::open(file_, Mode::read_only));
  EXPECT_EQ(damaged_files(), 0);
  EXPECT_EQ(content(), "no database at all");
}

TEST_F(Database, AFolderInItsPlaceIsAnError) {
  fs::create_directory(file_);
  const auto database = ProfileDatabase::open(file_, Mode::create);
  ASSERT_FALSE(database);
  EXPECT_NE(database.error().reason.find("is no file"), std::string::npos);
}

TEST_F(Database, WhatIsNotThereIsNotMadeByReaders) {
  EXPECT_FALSE(ProfileDatabase::open(file_, Mode::read_only));
  EXPECT_FALSE(ProfileDatabase::open(file_, Mode::existing));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(Database, ProcessesAddAtOnceAndLoseNothing) {
  constexpr int kProcesses = 6, kRounds = 10;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int done = 0;
      for (int i = 0; i < kRounds; ++i) {
        auto database = ProfileDatabase::open(file_, Mode::create);
        if (!database) _exit(100);
        const auto added = database->add(std::vector{sample(static_cast<std::uint64_t>(p * kRounds + i + 1))});
        done += added && *added == 1 ? 1 : 0;
      }
      _exit(done == kRounds ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  auto database = open();
  EXPECT_EQ(database.samples()->size(), static_cast<std::size_t>(kProcesses * kRounds));
  EXPECT_TRUE(database.check()->empty());
}

TEST_F(Database, AKilledWriterLeavesAllOrNothingOfATransaction) {
  ASSERT_TRUE(open().add(std::vector{sample(1)}));
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::vector<ProfileSample> many;
      for (std::uint64_t i = 0; i < 200; ++i)
        many.push_back(sample(1000 * static_cast<std::uint64_t>(round + 1) + i, "k" + std::to_string(round)));
      auto database = ProfileDatabase::open(file_, Mode::create);
      if (database) (void)database->add(many);
      _exit(0);
    }
    usleep(static_cast<useconds_t>(500 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    auto database = open();
    EXPECT_TRUE(database.notice().empty()) << database.notice();
    EXPECT_TRUE(database.check()->empty());
    const std::size_t there = database.samples({"k" + std::to_string(round), "", {}, 0})->size();
    EXPECT_TRUE(there == 0 || there == 200) << there;
  }
}

TEST_F(Database, FilesOfSamplesComeBackExactly) {
  const std::vector<ProfileSample> given{sample(2), sample(1, "ü\"\n"), sample(1)};
  const fs::path text = folder_ / "samples.jsonl";
  ASSERT_TRUE(write_exchange(text, {{"machine", "processor", "", "abc", "command", "2026-01-01", {}, {}}, given}));
  const auto back = read_exchange(text);
  ASSERT_TRUE(back) << back.error().reason;
  EXPECT_EQ(back->head.machine, "machine");
  EXPECT_EQ(back->head.devices, (std::vector<std::string>{"device"}));
  EXPECT_EQ(back->head.driver, "1.0");
  ASSERT_EQ(back->samples.size(), given.size());
  for (const auto& one : given)
    EXPECT_NE(std::find(back->samples.begin(), back->samples.end(), one), back->samples.end());
}

TEST(SampleText, WrongLinesNameTheKeyAndWhatIsMeant) {
  const std::string good = line_of(sample(1));
  ASSERT_TRUE(sample_of(good));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string line = good;
    line.replace(line.find(from), from.size(), to);
    const auto result = sample_of(line);
    return result ? std::string("accepted") : result.error().reason;
  };
  EXPECT_NE(with("\"kernel_ns\":1", "\"kernel_ns\":-1").find("kernel_ns is -1"), std::string::npos);
  EXPECT_NE(with("\"warm\":true", "\"warm\":3").find("warm is 3; expected true or false"), std::string::npos);
  EXPECT_NE(with("\"units\":8", "\"units\":5000000000").find("units"), std::string::npos);
  EXPECT_NE(with("\"kernel\":\"k\"", "\"kernel\":\"\"").find("kernel is missing"), std::string::npos);
  EXPECT_NE(with("\"last\":20", "\"last\":2").find("no span"), std::string::npos);
  EXPECT_NE(with("\"last\":20", "\"last\":21").find("20 groups"), std::string::npos);
  EXPECT_NE(with("[64,1,1]", "[0,1,1]").find("no NDRange"), std::string::npos);
  EXPECT_NE(with("[64,1,1]", "[63,1,1]").find("no NDRange"), std::string::npos);
  EXPECT_NE(with("[[1,-7]]", "[[1]]").find("scalars"), std::string::npos);
  EXPECT_NE(with("[[1,-7]]", "[[4294967296,-7]]").find("scalars"), std::string::npos);
  EXPECT_NE(with("[[1,-7]]", "[[1,9223372036854775808]]").find("scalars"), std::string::npos);
  EXPECT_NE(with("\"date\":1700000000", "\"date\":18446744073709551615").find("date"), std::string::npos);
  EXPECT_NE(with("\"dims\":2", "\"dims\":1").find("no NDRange"), std::string::npos);  // two rows of groups
  EXPECT_NE(with("\"dims\":2", "\"dims\":0").find("no NDRange"), std::string::npos);
  EXPECT_NE(with("[640,2,1]", "[4611686018427387904,4294967296,1]").find("no NDRange"),
            std::string::npos);  // 2^88 groups
  EXPECT_FALSE(sample_of("nonsense"));
  EXPECT_FALSE(sample_of("[1]"));
}

TEST(SampleText, KeepsTheLargestNumbers) {
  ProfileSample one = sample(~0ull);
  one.buffers = {{~0u, ~0ull}};
  one.scalars = {{~0u, INT64_MIN}, {0, INT64_MAX}};
  one.group_operations = 5e-324;
  one.group_bytes = 1.7976931348623157e308;
  one.date = INT64_MIN;
  const auto back = sample_of(line_of(one));
  ASSERT_TRUE(back) << back.error().reason;
  EXPECT_EQ(*back, one);
}

TEST(SampleText, IsWhatAJsonLibraryWrites) {
  std::mt19937 random(1);
  const auto any = [&] { return std::uniform_int_distribution<std::uint64_t>{}(random) >> (random() % 64); };
  const auto text = [&] {
    std::string made;
    for (std::uint64_t length = random() % 8; length > 0; --length) made += static_cast<char>(random() % 256);
    return made;
  };
  for (int i = 0; i < 2000; ++i) {
    ProfileSample one = sample(any());
    one.kernel = {text(), text(), text()};
    one.device = {text(), text(), text(), static_cast<std::uint32_t>(any())};
    one.tag = text();
    one.commit = text();
    one.buffers.resize(random() % 3, {static_cast<std::uint32_t>(any()), any()});
    one.scalars.resize(random() % 3, {static_cast<std::uint32_t>(any()), static_cast<std::int64_t>(any())});
    one.group_operations = static_cast<double>(any()) / static_cast<double>(any() | 1);
    one.group_bytes = i % 2 == 0 ? static_cast<double>(any() % 1000) : std::ldexp(1.0, static_cast<int>(any() % 900));
    one.data_decides_work = i % 3 == 0;
    one.warm = i % 5 == 0;
    one.passed_over = i % 7 == 0 ? static_cast<std::uint32_t>(any()) : 0;
    const std::string line = line_of(one);
    EXPECT_EQ(line, nlohmann::json::parse(line).dump(-1, ' ', false));
  }
}

TEST(SampleText, DeeplyNestedValuesAreRefusedWithoutBeingFollowed) {
  const std::string deep = std::string(2000000, '[') + std::string(2000000, ']');
  std::string line = line_of(sample(1));
  line.replace(line.find("\"kernel\":\"k\""), 12, "\"kernel\":" + deep);
  const auto result = sample_of(line);
  ASSERT_FALSE(result);
  EXPECT_LT(result.error().reason.size(), 200u);
}

TEST_F(Database, AFileWithADeeplyNestedHeadIsRefused) {
  write("{\"skmd_profile\":" + std::string(2000000, '[') + std::string(2000000, ']') + "}\n");
  const auto result = read_exchange(file_);
  ASSERT_FALSE(result);
  EXPECT_LT(result.error().reason.size(), 300u);
}

TEST_F(Database, WhatCouldNotBeReadBackIsNotTakenIn) {
  auto database = open();
  ASSERT_TRUE(database.add(std::vector{sample(1)}));
  std::vector<ProfileSample> bad(5, sample(2));
  bad[0].group_operations = std::numeric_limits<double>::quiet_NaN();
  bad[1].group_bytes = std::numeric_limits<double>::infinity();
  bad[2].kernel.name.clear();
  bad[3].span = {5, 5};
  bad[4].range.local[0] = 0;
  for (const ProfileSample& one : bad) {
    const auto added = database.add(std::vector{sample(3), one});
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().reason.find("sample 1"), std::string::npos) << added.error().reason;
  }
  const auto samples = database.samples();
  ASSERT_TRUE(samples) << samples.error().reason;
  EXPECT_EQ(samples->size(), 1u);
}

}  // namespace
}  // namespace skmd::profiler
