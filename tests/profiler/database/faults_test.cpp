// SPDX-License-Identifier: Apache-2.0
// Every call that SQLite makes fails once, in turn: each change of the database is there as a whole or not at all, the
// database stays sound, and nothing takes it for damaged.
#include <functional>

#include "profiler/database/journal.h"
#include "profiler/database/sample_text.h"
#include "profiler/database/take_in.h"
#include "tests/profiler/database/faulty_sqlite.h"
#include "tests/profiler/database/fixture.h"
#include "tests/profiler/database/rounds.h"
#include "tests/profiler/database/samples.h"

namespace skmd::profiler {
namespace {

namespace fs = std::filesystem;
using domain::ProfileSample;
using Mode = ProfileDatabase::Mode;
using test::FaultySqlite;
using test::sample;
using What = FaultySqlite::What;

constexpr DatabaseLimits kLimits{std::uint64_t{64} << 20, 6, 0};  // no waiting for a lock that cannot be had

std::vector<ProfileSample> before() { return {sample(1), sample(2), sample(3, "other")}; }
std::vector<ProfileSample> added() {
  std::vector<ProfileSample> made;
  for (std::uint64_t i = 0; i < 10; ++i) made.push_back(sample(100 + i, "k", "new"));  // more than are kept
  for (std::uint64_t i = 0; i < 3; ++i) made.push_back(sample(200 + i, "another", "new"));
  return made;
}
Calibrations calibrations() {
  domain::DeviceCalibration device;
  device.device = {"platform", "device", "1.0", 8};
  device.launch_seconds = 5e-6;
  device.date = 1700000000;
  return {{device}, {}};
}

/// Something that is done with a database. `act` says whether it says that it was done.
struct Action {
  const char* name;
  std::function<void(const fs::path& file)> prepare;
  std::function<bool(const fs::path& file)> act;
  /// Whether it was: nothing where it was done in part.
  std::function<std::optional<bool>(const ProfileDatabase& database)> was_done;
};

void make(const fs::path& file) { ASSERT_TRUE(ProfileDatabase::open(file, Mode::create)->add(before())); }

std::optional<bool> has_added(const ProfileDatabase& database) {
  const std::size_t there = database.samples({"", "", {"new"}, 0})->size();
  if (there == 0) return false;
  return there == 9 ? std::optional<bool>(true) : std::nullopt;
}

template <class Change>
std::function<bool(const fs::path&)> change(Change what) {
  return [what](const fs::path& file) {
    auto database = ProfileDatabase::open(file, Mode::create, kLimits);
    return database && what(*database).ok();
  };
}

std::vector<Action> actions() {
  const auto add = change([](ProfileDatabase& database) { return database.add(added()); });
  const auto nothing = [](const fs::path&) {};
  return {
      {"begin and add", nothing, add, has_added},
      {"add", make, add, has_added},
      {"migrate and add", [](const fs::path& file) { fs::copy_file(fs::path(FORMER_VERSIONS) / "profile-1.db", file); },
       add, has_added},
      {"take in",
       [](const fs::path& file) {
         make(file);
         SampleJournal journal(file);
         for (const ProfileSample& one : added()) journal.add(one, domain::kNoKind);
       },
       [](const fs::path& file) {
         const auto taken = take_in_journals(file, kLimits);
         return taken && taken->files == 1;
       },
       has_added},
      {"merge", make, change([](ProfileDatabase& database) {
         Contribution other;
         other.measured = added();
         other.measured_calibrations = calibrations();
         other.seen = {{{"0123", "k", "ready"}, {"platform", "device", "1.0", 8}, "other", 40}};
         return database.merge(other);
       }),
       [](const ProfileDatabase& database) {
         const auto samples = has_added(database);
         const bool calibrated = !database.calibrations()->devices.empty();
         return samples && *samples == calibrated ? samples : std::nullopt;
       }},
      {"prune", make, change([](ProfileDatabase& database) {
         return database.prune({"k", "", {}, 0});
       }),
       [](const ProfileDatabase& database) -> std::optional<bool> {
         const std::size_t left = database.samples()->size();
         if (left == 3) return false;
         return left == 1 ? std::optional<bool>(true) : std::nullopt;
       }},
      {"repair",
       [](const fs::path& file) {
         make(file);
         sqlite3* handle = nullptr;
         sqlite3_open(file.c_str(), &handle);
         sqlite3_exec(handle, "UPDATE samples SET line='{}' WHERE id<3; INSERT INTO seen VALUES(98, 1, 1, 5)", nullptr,
                      nullptr, nullptr);
         sqlite3_close(handle);
       },
       change([](ProfileDatabase& database) { return database.repair(); }),
       [](const ProfileDatabase& database) -> std::optional<bool> {
         const std::size_t wrong = database.check()->size();
         if (wrong == 3) return false;
         return wrong == 0 ? std::optional<bool>(true) : std::nullopt;
       }},
  };
}

struct Case {
  const char* name;
  What what;
  std::uint64_t step;  // of the ordinary run; the long one tries every call
};

class Faults : public test::DatabaseFile, public testing::WithParamInterface<Case> {
 protected:
  void start_again(const Action& action) {
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove(entry.path());
    action.prepare(file_);
  }
  /// True: something failed.
  bool try_with(const Action& action, std::uint64_t at) {
    const std::string what = std::string(action.name) + ", call " + std::to_string(at);
    FaultySqlite& sqlite = FaultySqlite::instance();
    sqlite.arm(What::none, 0);
    start_again(action);
    sqlite.arm(GetParam().what, at);
    const bool told = action.act(file_);
    if (!sqlite.disarm()) {
      EXPECT_TRUE(told) << what;
      return false;
    }
    EXPECT_EQ(damaged_files(), 0) << what;
    const auto database = ProfileDatabase::open(file_, Mode::create, kLimits);
    EXPECT_TRUE(database) << what << ": " << (database ? "" : database.error().reason);
    if (!database) return true;
    const auto done = action.was_done(*database);
    EXPECT_TRUE(done) << what << ": a part of it was done";
    EXPECT_TRUE(!told || (done && *done)) << what << ": it was told, and is not there";
    if (std::string(action.name) != "repair") {
      const auto wrong = database->check();
      EXPECT_TRUE(wrong && wrong->empty()) << what << ": " << wrong->front();
    }
    // What failed for once works the next time, and is there once.
    EXPECT_TRUE(action.act(file_) || (done && *done)) << what;
    EXPECT_EQ(action.was_done(*database), std::optional<bool>(true)) << what;
    return true;
  }
};

TEST_P(Faults, LeaveAllOrNothing) {
  const std::uint64_t step = test::rounds() == 1 ? GetParam().step : 1;
  for (const Action& action : actions()) {
    std::uint64_t at = 1;
    while (try_with(action, at) && !HasFailure()) at += step;
    if (HasFailure()) return;
    EXPECT_GT(at, 20u) << action.name << " makes more calls than that";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Faults,
                         testing::Values(Case{"Files", What::file, 1}, Case{"FilesForGood", What::file_for_good, 3},
                                         Case{"TheHeap", What::heap, 17}),
                         [](const auto& one) { return one.param.name; });

/// Before SQLite is used for the first time.
const FaultySqlite& installed = FaultySqlite::instance();

}  // namespace
}  // namespace skmd::profiler
