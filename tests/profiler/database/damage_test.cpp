// SPDX-License-Identifier: Apache-2.0
// Databases that were cut, changed or written to by others.
#include <algorithm>
#include <fstream>
#include <random>

#include "profiler/database/sample_text.h"
#include "profiler/database/sqlite.h"
#include "tests/profiler/database/fixture.h"
#include "tests/profiler/database/rounds.h"
#include "tests/profiler/database/samples.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::ProfileSample;
using Mode = ProfileDatabase::Mode;
using test::sample;

/// Half-written and changed files: an answer or an error, never a crash, and never a sample that was not put in.
class Damage : public test::DatabaseFile {
 protected:
  void SetUp() override {
    auto database = open();
    std::vector<ProfileSample> samples;
    for (std::uint64_t i = 0; i < 40; ++i) samples.push_back(sample(i + 1, "kernel" + std::to_string(i % 5)));
    ASSERT_TRUE(database.add(samples));
    for (const auto& one : samples) lines_.push_back(line_of(one));
    whole_ = content();
  }
  /// Opens the file as its owner would: it can be used, or is kept under another name for a new one. The one exception
  /// is a file that says that it is of a newer version. A changed sample is told, and never taken for another one.
  void expect_usable_or_set_aside(const std::string& what) {
    auto database = ProfileDatabase::open(file_, Mode::create);
    if (!database) {
      EXPECT_NE(database.error().reason.find("newer"), std::string::npos) << what << ": " << database.error().reason;
      return;
    }
    EXPECT_EQ(damaged_files(), database->notice().empty() ? 0 : 1) << what;
    const auto wrong = database->check();
    const auto samples = database->samples();
    ASSERT_TRUE(wrong) << what;
    if (wrong->empty()) {
      ASSERT_TRUE(samples) << what << ": " << samples.error().reason;
      for (const auto& one : *samples)
        EXPECT_NE(std::find(lines_.begin(), lines_.end(), line_of(one)), lines_.end()) << what;
    } else {
      const auto repaired = database->repair();
      EXPECT_TRUE(repaired) << what << ": " << repaired.error().reason;
    }
    const auto left = database->check();
    EXPECT_TRUE(left && left->empty()) << what << ": " << (left ? left->front() : left.error().reason);
    const auto added = database->add(std::vector{sample(77)});
    EXPECT_TRUE(added) << what << ": " << added.error().reason;
    EXPECT_TRUE(database->contents()) << what;
    const auto after = database->samples();
    ASSERT_TRUE(after) << what;
    EXPECT_EQ(std::count(after->begin(), after->end(), sample(77)), 1) << what;
  }
  /// Where the first rows of a table are that fits a page. In bytes from the file's beginning; 0: SQLite says nothing.
  [[nodiscard]] std::size_t end_of_root_page(const std::string& table) const {
    sqlite3* handle = nullptr;
    sqlite3_open(file_.c_str(), &handle);
    const std::string sql = "SELECT page_size*rootpage FROM pragma_page_size, sqlite_master WHERE name='" + table + "'";
    const auto number = number_of(handle, sql.c_str());
    sqlite3_close(handle);
    return number ? static_cast<std::size_t>(*number) : 0;
  }
  void start_again(const std::string& bytes) {
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry.path());
    write(bytes);
  }

  std::string whole_;
  std::vector<std::string> lines_;
};

/// At every length where there is time for it, else at a sample of them that holds every border of a page.
TEST_F(Damage, Cuts) {
  constexpr std::size_t kPage = 4096;
  const std::size_t step =
      test::rounds() >= test::kAll ? 1 : static_cast<std::size_t>(std::max(1, 509 / test::rounds()));
  for (std::size_t length = 0; length < whole_.size(); ++length) {
    if (length % step != 0 && length % kPage > 1 && length % kPage != kPage - 1) continue;
    start_again(whole_.substr(0, length));
    expect_usable_or_set_aside("cut at " + std::to_string(length));
  }
}

TEST_F(Damage, BitFlips) {
  const int flips = 1000 * test::rounds();
  std::mt19937_64 random(13);
  for (int i = 0; i < flips; ++i) {
    std::string bytes = whole_;
    // Every bit of the head, then any.
    const std::size_t at = i < 800 ? static_cast<std::size_t>(i / 8) : random() % bytes.size();
    const auto bit = static_cast<unsigned>(i < 800 ? i % 8 : random() % 8);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    start_again(bytes);
    expect_usable_or_set_aside("bit " + std::to_string(bit) + " of byte " + std::to_string(at));
  }
}

/// Two rows have one key then, in a table or in its index.
TEST_F(Damage, NamesThatHaveBecomeEqual) {
  int found = 0;
  for (std::size_t at = whole_.find("kernel1"); at != std::string::npos; at = whole_.find("kernel1", at + 1), ++found) {
    std::string bytes = whole_;
    bytes.replace(at, 7, "kernel0");
    start_again(bytes);
    expect_usable_or_set_aside("kernel1 at byte " + std::to_string(at));
  }
  EXPECT_GE(found, 10) << "eight samples, their kernel, and its index";
}

/// Rows of numbers, which have no digest: other rows may come of them, rows with one key, and rows out of order.
TEST_F(Damage, NumbersOfCountsAndUses) {
  for (const std::string table : {"seen", "uses"}) {
    start_again(whole_);
    const std::size_t end = end_of_root_page(table);
    ASSERT_GT(end, 40u);
    for (std::size_t at = end - 40; at < end; ++at)
      for (unsigned bit = 0; bit < 8; ++bit) {
        std::string bytes = whole_;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        start_again(bytes);
        expect_usable_or_set_aside("bit " + std::to_string(bit) + " of byte " + std::to_string(at));
      }
  }
}

TEST_F(Damage, TablesThatAreDeclaredOtherwiseAreSetAside) {
  for (const char* change :
       {"PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql=replace(sql, 'digest TEXT', 'ligest TEXT') "
        "WHERE name='samples'",
        "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql=replace(sql, 'device, source', 'source, device') "
        "WHERE name='seen'",
        "DROP TABLE shipped"}) {
    start_again(whole_);
    run(change);
    EXPECT_FALSE(ProfileDatabase::open(file_, Mode::read_only)) << change;
    auto database = open();
    EXPECT_EQ(damaged_files(), 1) << change;
    EXPECT_NE(database.notice().find("as SKMD declares it"), std::string::npos) << database.notice();
    EXPECT_TRUE(database.samples()->empty()) << change;
  }
  start_again(whole_);
  run("CREATE TABLE of_a_user(id INTEGER)");
  EXPECT_EQ(open().samples()->size(), lines_.size());
}

TEST_F(Damage, CheckFindsAChangedSample) {
  run("UPDATE samples SET line=replace(line, 'abc', 'abd') WHERE id=3");
  const auto wrong = open().check();
  ASSERT_TRUE(wrong);
  ASSERT_EQ(wrong->size(), 1u);
  EXPECT_NE(wrong->front().find("sample 3"), std::string::npos);
}

TEST_F(Damage, RepairRemovesWrongSamplesAndKeepsTheOthers) {
  run("UPDATE samples SET line=replace(line, 'abc', 'abd') WHERE id=3;"
      "UPDATE samples SET line='{}' WHERE id=5;"
      "UPDATE samples SET kernel=99 WHERE id=7;"
      "INSERT INTO seen VALUES(98, 1, 1, 5)");
  auto database = open();
  EXPECT_EQ(database.check()->size(), 4u);
  const auto gone = database.repair();
  ASSERT_TRUE(gone) << gone.error().reason;
  EXPECT_EQ(*gone, 3u);
  EXPECT_TRUE(database.check()->empty());
  EXPECT_EQ(database.samples()->size(), lines_.size() - 3);
  EXPECT_EQ(*database.repair(), 0u);
}

TEST_F(Damage, RepairBuildsAWrongIndexAnew) {
  run("PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql=replace(sql, 'groups, date', 'groups, id') WHERE "
      "name='samples_by_size'");
  auto database = open();
  EXPECT_EQ(database.notice(), "");
  ASSERT_FALSE(database.check()->empty());
  ASSERT_TRUE(database.repair());
  EXPECT_TRUE(database.check()->empty());
  EXPECT_EQ(database.samples()->size(), lines_.size());
}

}  // namespace
}  // namespace skmd::profiler
