// SPDX-License-Identifier: Apache-2.0
// Launches in chunks that go to devices as they become free.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "intercept/object/kernel.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint32_t kItems = 1024, kLocal = 16, kGroups = kItems / kLocal;
using Words = std::vector<std::uint32_t>;

void wait_until(const std::function<bool()>& true_now) {
  while (!true_now()) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

struct World : FakeMachine {
  explicit World(const std::vector<bool>& discrete, const std::string& policy = "dynamic:2",
                 const domain::KernelTraits& traits = axpy_traits())
      : FakeMachine(discrete, policy), x(storage(kItems * 4)), y(storage(kItems * 4)), add(kernel(traits)) {
    Words words(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) words[i] = i;
    write(x, 0, words.data(), words.size() * 4);
    fill_y();
  }
  void fill_y() {
    const Words words(kItems, 7);
    write(y, 0, words.data(), words.size() * 4);
  }
  cl_int run() { return launch(add, line(kItems, kLocal), {whole(y), whole(x), value_of(2u)})->wait(); }
  void expect_sums(std::uint32_t launches) {
    Words words(kItems);
    read(y, 0, words.data(), words.size() * 4);
    for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(words[i], 7 + launches * 2 * i) << i;
  }
  std::uint64_t groups() {
    std::uint64_t sum = 0;
    for (const auto& fake : fakes) sum += fake->counters.groups;
    return sum;
  }
  std::uint64_t runs() {
    std::uint64_t sum = 0;
    for (const auto& fake : fakes) sum += fake->counters.runs;
    return sum;
  }
  std::shared_ptr<Storage> x, y;
  std::shared_ptr<BuiltKernel> add;
};

TEST(Dealing, RunsEveryGroupOnceOverAnyMixOfMemories) {
  for (const std::vector<bool>& discrete :
       {std::vector<bool>{true, true}, {false, true}, {true, false}, {false, false, true}}) {
    World w(discrete);
    for (std::uint32_t launch = 1; launch <= 3; ++launch) {
      EXPECT_EQ(w.run(), CL_COMPLETE);
      EXPECT_EQ(w.groups(), launch * std::uint64_t{kGroups});
    }
    EXPECT_GT(w.runs(), 3 * 2 * discrete.size()) << "there were no chunks";
    w.expect_sums(3);
  }
}

TEST(Dealing, ADeviceThatIsFreeTakesTheChunksOfOneThatIsNot) {
  World w({true, true});
  FakeDevice& slow = *w.fakes[1];
  FakeDevice& quick = *w.fakes[0];
  // The slow one has its first chunk before the quick one begins, and does not run it until all the rest is done.
  constexpr std::uint64_t kFirst = kGroups / 2 / 4;
  std::atomic<bool> has_first{false};
  quick.on_execute = [&] { wait_until([&] { return has_first.load(); }); };
  slow.on_execute = [&] {
    has_first = true;
    wait_until([&] { return quick.counters.groups >= kGroups - kFirst; });
  };
  EXPECT_EQ(w.run(), CL_COMPLETE);
  EXPECT_EQ(quick.counters.groups, kGroups - kFirst);
  EXPECT_EQ(slow.counters.groups, kFirst);
  w.expect_sums(1);
}

TEST(Dealing, GroupsOfAFailingDeviceRunElsewhere) {
  for (const bool late : {false, true}) {
    World w({true, true});
    w.fakes[1]->fail_late = late;
    w.fakes[1]->fail_runs = 1;
    EXPECT_EQ(w.run(), CL_COMPLETE);
    w.expect_sums(1);
    EXPECT_EQ(w.run(), CL_COMPLETE);
    w.expect_sums(2);
  }
}

/// The machine's second device fails in its second chunk, which it has before the first device begins.
void fail_later(FakeMachine& machine, Fault fault) {
  FakeDevice& device = *machine.fakes[1];
  const auto batches = std::make_shared<std::atomic<int>>(0);
  device.run_fault = fault;
  device.on_execute = [&device, batches] {
    if (++*batches == 2) device.fail_runs = 1;
  };
  machine.fakes[0]->on_execute = [batches] { wait_until([&] { return *batches >= 2; }); };
}

TEST(Dealing, ADeviceThatFailsInALaterChunkKeepsItsEarlierOnes) {
  World w({true, true});
  fail_later(w, Fault::resources);
  EXPECT_EQ(w.run(), CL_COMPLETE);
  w.expect_sums(1);
  EXPECT_GT(w.fakes[1]->counters.groups, 0u);
}

TEST(Dealing, GroupsOfALostDeviceRunAgainWhereTheirInputsAreElsewhere) {
  FakeMachine m({true, true}, "dynamic:2");
  const auto x = m.storage(kItems * 4), y = m.storage(kItems * 4);
  Words words(kItems, 5);
  m.write(x, 0, words.data(), kItems * 4);
  fail_later(m, Fault::device);
  EXPECT_EQ(m.launch(m.kernel(stencil_traits()), line(kItems, kLocal), {whole(y), whole(x), value_of(kItems)})->wait(),
            CL_COMPLETE);
  EXPECT_EQ(m.fakes[0]->counters.groups, kGroups);
  m.read(y, 0, words.data(), kItems * 4);
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(words[i], 15u) << i;
}

TEST(Dealing, TheLaunchFailsIfALostDeviceHadTheOnlyCopyOfWhatItChanged) {
  World w({true, true});
  fail_later(w, Fault::device);
  EXPECT_NE(w.run(), CL_COMPLETE);
}

TEST(Dealing, AllDevicesFailingIsTheLaunchsFailure) {
  World w({true, true});
  for (const auto& fake : w.fakes) fake->fail_allocations = 100;
  EXPECT_EQ(w.run(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  for (const auto& fake : w.fakes) fake->fail_allocations = 0;
  EXPECT_EQ(w.run(), CL_COMPLETE);
  w.expect_sums(1);
}

TEST(Dealing, WritesToUnknownPlacesAreSplitAsEver) {
  FakeMachine m({true, true}, "dynamic:2");
  const auto y = m.storage(kItems * 4), index = m.storage(kItems * 4);
  Words places(kItems), result(kItems);
  for (std::uint32_t i = 0; i < kItems; ++i) places[i] = (i * 7) % kItems;
  m.write(index, 0, places.data(), kItems * 4);
  m.write(y, 0, result.data(), kItems * 4);
  EXPECT_EQ(m.launch(m.kernel(scatter_traits()), line(kItems, kLocal), {whole(y), whole(index)})->wait(), CL_COMPLETE);
  EXPECT_EQ(m.fakes[0]->counters.runs + m.fakes[1]->counters.runs, 2u);
  m.read(y, 0, result.data(), kItems * 4);
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(result[places[i]], i + 1) << i;
}

TEST(Dealing, AutoDealsWhereMemoryDecidesHowLongGroupsWork) {
  for (const bool decides : {false, true}) {
    domain::KernelTraits traits = axpy_traits();
    if (decides) traits.facts |= domain::kFactDataDecidesWork;
    World w({true, true}, "auto", traits);
    for (const auto& fake : w.fakes) fake->ns_per_group = 10'000'000;
    // When the chunks are worth being cut depends on how long planning took, which is long on a busy machine.
    const std::uint32_t most = decides ? 500 : 20;
    std::uint32_t launches = 0;
    std::uint64_t runs = 0;
    while (launches < most && runs <= 2) {
      const std::uint64_t before = w.runs();
      EXPECT_EQ(w.run(), CL_COMPLETE);
      ++launches;
      runs = w.runs() - before;
    }
    if (decides)
      EXPECT_GT(runs, 4u);
    else
      EXPECT_LE(runs, 2u);
    w.expect_sums(launches);
  }
}

}  // namespace
}  // namespace skmd::icd::test
