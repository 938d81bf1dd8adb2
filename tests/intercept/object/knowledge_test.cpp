// SPDX-License-Identifier: Apache-2.0
// What is read when, by which thread; a store that the test holds stands for a slow one.
#include "intercept/machine/knowledge.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace skmd::icd::test {
namespace {

using domain::Bounds;
using domain::DeviceKey;
using domain::KernelKey;
using domain::StoredSample;

constexpr std::uint64_t kKernel = 7;
const DeviceKey kDevice{"platform", "device", "1", 4};

class FakeStore : public domain::ProfileStore {
 public:
  domain::Result<std::vector<StoredSample>> samples(const KernelKey& kernel, const DeviceKey& device) override {
    std::unique_lock lock(mutex_);
    ++asked;
    threads.insert(std::this_thread::get_id());
    names.push_back(kernel.name);
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held; });
    if (!failure.empty()) return domain::Error{-1, failure};
    if (fails_again && asked > 1) return domain::Error{-1, "gone"};
    std::vector<StoredSample> found;
    if (empty) return found;
    for (std::uint64_t groups = 1; groups <= 1024; groups *= 2) {
      StoredSample one;
      one.sample.kernel = kernel;
      one.sample.device = device;
      one.sample.range = {1, {0, 0, 0}, {1024, 1, 1}, {1, 1, 1}};
      one.sample.span = {0, groups};
      one.sample.kernel_ns = 1000 * groups;
      found.push_back(one);
    }
    return found;
  }
  Bounds bounds(const DeviceKey&) override { return {}; }
  void rest() override {
    const std::lock_guard lock(mutex_);
    ++rests;
  }
  Haste haste() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !empty || asked > 0; });
    return hasty ? Haste::most : Haste::none;
  }
  domain::Result<Tended> tend() override {
    const std::lock_guard lock(mutex_);
    ++tended;
    changed_.notify_all();
    threads.insert(std::this_thread::get_id());
    return Tended{std::exchange(empty, false) || more, notice};
  }

  template <class Ready>
  void wait_until(Ready ready) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, ready);
  }
  void release() {
    const std::lock_guard lock(mutex_);
    held = false;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool held = false, empty = false, hasty = false, more = false, fails_again = false;
  std::string failure, notice;
  int asked = 0, tended = 0, rests = 0;
  std::set<std::thread::id> threads;
  std::vector<std::string> names;
};

/// What was told last.
struct Told {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t samples = 0;
  std::string problem;
  int times = 0;
  Knowledge::Told listener() {
    return [this](std::uint64_t loaded, const std::string& what) {
      const std::lock_guard lock(mutex);
      samples = loaded;
      problem = what;
      ++times;
      changed.notify_all();
    };
  }
  void wait_for(int count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return times >= count; });
  }
};

std::vector<Knowledge::Place> places(std::size_t count, const std::string& name = "kernel") {
  return std::vector<Knowledge::Place>(count, Knowledge::KernelOnDevice{{"program", name, "ready"}, kDevice});
}

/// Long enough for any wait of the tests to end by what it waits for.
constexpr Knowledge::Delays kPatient{std::chrono::minutes(10), std::chrono::hours(1), std::chrono::hours(1)};

TEST(Knowledge, BringsWhatIsStoredToTheModelOnAThreadOfItsOwn) {
  FakeStore store;
  domain::KnownTimes model;
  Told told;
  {
    Knowledge knowledge(store, model, told.listener(), kPatient);
    EXPECT_FALSE(knowledge.knows_shares_of(kKernel));
    knowledge.expect(kKernel, places(2));
    knowledge.wait_for(kKernel);
    EXPECT_EQ(model.stored(kKernel), 2u);
    EXPECT_TRUE(knowledge.knows_shares_of(kKernel));
    knowledge.expect(kKernel, places(2));
    knowledge.wait_for(kKernel);
    knowledge.wait_for(kKernel + 1);  // never expected
  }
  EXPECT_EQ(store.asked, 1) << "devices of one make share their samples, and nothing is asked twice";
  EXPECT_EQ(store.threads.count(std::this_thread::get_id()), 0u);
  EXPECT_EQ(store.rests, 1);
  EXPECT_EQ(store.tended, 0) << "a process that ended before Delays::before_soon tended the store";
  EXPECT_EQ(told.samples, 11u);
  EXPECT_EQ(told.problem, "");
}

TEST(Knowledge, WhereNothingIsDecidedByItNothingIsReadButTheStoreIsTended) {
  FakeStore store;
  store.hasty = true;
  domain::KnownTimes model;
  Told told;
  {
    Knowledge knowledge(store, model, told.listener(), kPatient);
    knowledge.expect(kKernel, {});
    knowledge.wait_for(kKernel);
    store.wait_until([&] { return store.tended == 1; });
  }
  EXPECT_EQ(store.asked, 0);
}

TEST(Knowledge, WaitsForASlowStoreOnlySoLong) {
  FakeStore store;
  store.held = true;
  domain::KnownTimes model;
  Told told;
  Knowledge knowledge(store, model, told.listener(),
                      {std::chrono::milliseconds(1), std::chrono::hours(1), std::chrono::hours(1)});
  knowledge.expect(kKernel, places(1));
  for (std::uint64_t kernel = kKernel; kernel < kKernel + 100; ++kernel) {
    knowledge.expect(kernel, places(1, "kernel" + std::to_string(kernel)));
    knowledge.wait_for(kernel);
  }
  EXPECT_EQ(model.stored(kKernel), 0u);
  store.release();
  told.wait_for(100);  // all of them come, if late
  EXPECT_EQ(model.stored(kKernel + 99), 1u);
}

TEST(Knowledge, AKernelThatIsLaunchedIsReadFirst) {
  FakeStore store;
  store.held = true;
  domain::KnownTimes model;
  Told told;
  Knowledge knowledge(store, model, told.listener(),
                      {std::chrono::milliseconds(0), std::chrono::hours(1), std::chrono::hours(1)});
  for (std::uint64_t kernel = 1; kernel <= 3; ++kernel) knowledge.expect(kernel, places(1, std::to_string(kernel)));
  store.wait_until([&] { return store.asked == 1; });  // it is at the first
  knowledge.wait_for(3);
  store.release();
  told.wait_for(3);
  EXPECT_EQ(store.names, (std::vector<std::string>{"1", "3", "2"}));
}

TEST(Knowledge, TellsWhatIsInTheWay) {
  FakeStore store;
  store.failure = "the disk is on fire";
  domain::KnownTimes model;
  Told told;
  Knowledge knowledge(store, model, told.listener(), kPatient);
  knowledge.expect(kKernel, places(1));
  knowledge.wait_for(kKernel);
  told.wait_for(1);
  EXPECT_EQ(told.problem, "the disk is on fire");
  EXPECT_EQ(told.samples, 0u);
  EXPECT_EQ(model.stored(kKernel), 0u);
}

TEST(Knowledge, WhatTendingBringsIsReadToo) {
  FakeStore store;
  store.notice = "a new one was begun";
  store.empty = store.hasty = true;
  domain::KnownTimes model;
  Told told;
  Knowledge knowledge(store, model, told.listener(), kPatient);
  knowledge.expect(kKernel, places(2));
  told.wait_for(2);
  EXPECT_EQ(model.stored(kKernel), 2u);
  EXPECT_EQ(told.samples, 11u);
  const std::lock_guard lock(store.mutex_);
  EXPECT_EQ(store.tended, 1);
  EXPECT_EQ(store.threads.size(), 2u);
  EXPECT_EQ(store.threads.count(std::this_thread::get_id()), 0u);
}

TEST(Knowledge, WhatIsReadAgainCountsOnce) {
  FakeStore store;
  store.more = store.hasty = true;
  domain::KnownTimes model;
  Told told;
  {
    Knowledge knowledge(store, model, told.listener(), kPatient);
    knowledge.expect(kKernel, places(2));
    store.wait_until([&] { return store.asked == 2; });
  }
  EXPECT_EQ(told.samples, 11u);
}

TEST(Knowledge, WhatCannotBeReadAgainStillCounts) {
  FakeStore store;
  store.more = store.hasty = store.held = true;
  store.fails_again = true;
  domain::KnownTimes model;
  Told told;
  {
    Knowledge knowledge(store, model, told.listener(), kPatient);
    knowledge.expect(kKernel, places(1));
    store.wait_until([&] { return store.asked == 1; });
    store.release();
    store.wait_until([&] { return store.asked == 2; });
  }
  EXPECT_EQ(told.problem, "gone");
  EXPECT_EQ(told.samples, 11u);
  EXPECT_EQ(model.stored(kKernel), 1u);
}

// The store's connection and the locks are those of the parent.
TEST(Knowledge, AChildOfAForkKnowsWhatItsParentKnewAndAsksNothing) {
  FakeStore store;
  domain::KnownTimes model;
  Told told;
  Knowledge knowledge(store, model, told.listener(), kPatient);
  knowledge.expect(kKernel, places(2));
  knowledge.wait_for(kKernel);
  store.wait_until([&] { return store.asked == 1; });
  {
    const std::lock_guard lock(store.mutex_);
    store.held = true;
  }
  knowledge.expect(kKernel + 1, places(2));
  store.wait_until([&] { return store.asked == 2; });  // the thread is in the store
  const pid_t child = fork();
  if (child == 0) {
    knowledge.expect(kKernel + 2, places(2));
    knowledge.wait_for(kKernel + 1);
    knowledge.wait_for(kKernel + 2);
    _exit(store.asked == 2 && model.stored(kKernel) == 2 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  store.release();
}

/// Whose rounds took 4 ms on the first device and 2 ms on the second.
struct RoundsStore : FakeStore {
  domain::Result<std::vector<StoredSample>> rounds(const KernelKey& kernel, const DeviceKey& device) override {
    StoredSample one;
    one.sample.kernel = kernel;
    one.sample.device = device;
    one.sample.range = kRange;
    one.sample.kernel_ns = device == kDevice ? 4'000'000 : 2'000'000;
    one.sample.passed_over = 2;
    return std::vector{one};
  }
  const domain::NdRange kRange{1, {0, 0, 0}, {1024, 1, 1}, {64, 1, 1}};
};

TEST(Knowledge, TellsWhatRoundsOfFormerProcessesTookOnTheFirstDeviceOfEachMake) {
  RoundsStore store;
  domain::KnownTimes model;
  Told told;
  Knowledge knowledge(store, model, told.listener(), kPatient);
  EXPECT_TRUE(knowledge.rounds_of(kKernel, store.kRange)->empty()) << "nothing was expected";
  auto all = places(3);
  all[2]->device.name = "another";
  for (auto& place : all) place->decides = false;
  knowledge.expect(kKernel, all);
  knowledge.wait_for(kKernel);
  const auto rounds = knowledge.rounds_of(kKernel, store.kRange);
  ASSERT_TRUE(rounds);
  ASSERT_EQ(rounds->size(), 2u);
  EXPECT_EQ((*rounds)[0].plan, 1u);
  EXPECT_NEAR((*rounds)[0].rounds.seconds, 4e-3, 1e-9);
  EXPECT_EQ((*rounds)[1].plan, 4u);
  EXPECT_NEAR((*rounds)[1].rounds.seconds, 2e-3, 1e-9);
  EXPECT_TRUE(knowledge.rounds_of(kKernel, {})->empty()) << "of another launch";
  EXPECT_FALSE(knowledge.knows_shares_of(kKernel)) << "its times decide nothing";
  EXPECT_EQ(told.samples, 0u);
}

TEST(Knowledge, SaysNothingOfRoundsThatAreBeingRead) {
  RoundsStore store;
  store.held = true;
  domain::KnownTimes model;
  Told told;
  Knowledge knowledge(store, model, told.listener(), kPatient);
  knowledge.expect(kKernel, places(1));
  store.wait_until([&] { return store.asked > 0; });
  EXPECT_FALSE(knowledge.rounds_of(kKernel, store.kRange));
  store.release();
}

}  // namespace
}  // namespace skmd::icd::test
