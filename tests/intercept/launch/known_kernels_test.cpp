// SPDX-License-Identifier: Apache-2.0
// Launches of kernels that former processes have measured.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <vector>

#include "intercept/launch/decision_constants.h"
#include "intercept/machine/knowledge.h"
#include "intercept/object/build_queue.h"
#include "intercept/object/kernel.h"
#include "intercept/object/native_builds.h"
#include "partitioner/model/profile_store.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 16384, kBytes = 4 * kItems, kLocal = 64, kGroups = kItems / kLocal;

/// Devices that all take `seconds` for the launch, in proportion to the groups.
struct FakeStore : domain::ProfileStore {
  double seconds = 0.0;  // 0: nothing is stored
  domain::Result<std::vector<domain::StoredSample>> samples(const domain::KernelKey& kernel,
                                                            const domain::DeviceKey& device) override {
    std::vector<domain::StoredSample> found;
    for (std::uint64_t groups = 1; groups <= kGroups && seconds > 0; groups *= 2) {
      domain::StoredSample one;
      one.sample.kernel = kernel;
      one.sample.device = device;
      one.sample.range = line(kItems, kLocal);
      one.sample.span = {0, groups};
      one.sample.kernel_ns = static_cast<std::uint64_t>(1e9 * seconds * static_cast<double>(groups) / kGroups);
      found.push_back(one);
    }
    return found;
  }
  domain::Result<std::vector<domain::StoredSample>> rounds(const domain::KernelKey& kernel,
                                                           const domain::DeviceKey& device) override {
    domain::StoredSample one;
    one.sample.kernel = kernel;
    one.sample.device = device;
    one.sample.range = line(kItems, kLocal);
    one.sample.kernel_ns = device.name == "device" ? rounds_ns[0] : rounds_ns[1];
    one.sample.passed_over = 23;
    one.sample.warm = true;  // they held no other launch
    return std::vector{one};
  }
  std::array<std::uint64_t, 2> rounds_ns{};  // 0: nothing is stored
  domain::Bounds bounds(const domain::DeviceKey&) override { return {}; }
  void rest() override {}
  Haste haste() override { return Haste::none; }
  domain::Result<Tended> tend() override { return Tended{}; }
};

struct World : FakeMachine {
  explicit World(double seconds, const std::string& policy = "auto")
      : FakeMachine({true, true}, policy), x(storage(kBytes)), y(storage(kBytes)) {
    store.seconds = seconds;
    const std::vector<std::uint32_t> values(kItems, 1);
    write(x, 0, values.data(), kBytes);
    write(y, 0, values.data(), kBytes);
    for (std::uint32_t i = 0; i < 2; ++i) machine.profile_keys.push_back({"platform", "device", "1", 4});
    machine.knowledge = &knowledge;
    machine.settings.profiled = 3;
  }
  ~World() { queue->finish(); }
  std::shared_ptr<BuiltKernel> built_on(std::vector<std::uint32_t> devices) {
    const auto builds =
        std::make_shared<NativeBuilds>(std::vector<std::uint32_t>{0, 1}, [](std::uint32_t) -> NativeBuilds::Made {
          return {std::make_shared<FakeProgram>(), {}};
        });
    for (const std::uint32_t device : devices) builds->run(device);
    expect_kernels(machine, "program", {axpy_traits()});
    return std::make_shared<BuiltKernel>(machine, axpy_traits(), false, "program", builds);
  }
  cl_int run(const std::shared_ptr<BuiltKernel>& kernel) {
    return launch(kernel, line(kItems, kLocal), {whole(y), whole(x), value_of(std::uint32_t{3})})->wait();
  }
  nlohmann::json stats() { return nlohmann::json::parse(machine.observer->stats_json())["kernels"][0]; }

  std::shared_ptr<Storage> x, y;
  FakeStore store;
  Knowledge knowledge{store,
                      model,
                      [](std::uint64_t, const std::string&) {},
                      {std::chrono::minutes(10), std::chrono::hours(1), std::chrono::hours(1)}};
};

TEST(KnownKernels, AreSplitAtTheirFirstLaunch) {
  for (const char* policy : {"auto", "linear"}) {
    World w(10.0, policy);
    ASSERT_EQ(w.run(w.built_on({0, 1})), CL_COMPLETE);
    EXPECT_EQ(w.stats()["first_split"], 1) << policy;
    EXPECT_EQ(w.stats()["model"]["source"], "database");
    EXPECT_EQ(w.fakes[0]->counters.runs, 1u);
    EXPECT_EQ(w.fakes[1]->counters.runs, 1u);
  }
}

TEST(KnownKernels, AreKnownToAutoOnlyWhereThatIsWished) {
  World w(10.0);
  w.machine.settings.profiled = 0;
  ASSERT_EQ(w.run(w.built_on({0, 1})), CL_COMPLETE);
  EXPECT_EQ(w.stats()["first_split"], 0);
  EXPECT_EQ(w.stats()["model"]["source"], "none");
}

TEST(KnownKernels, UnknownOnesAreNot) {
  World w(0.0);
  ASSERT_EQ(w.run(w.built_on({0, 1})), CL_COMPLETE);
  EXPECT_EQ(w.stats()["first_split"], 0);
  EXPECT_EQ(w.stats()["model"]["source"], "none");
}

// There is no build queue here. The launch gains more than kBuilding, so that it runs the build itself.
TEST(KnownKernels, WaitForTheBuildsThatTheyGainBy) {
  World w(10.0);
  const auto kernel = w.built_on({0});
  ASSERT_EQ(w.run(kernel), CL_COMPLETE);
  EXPECT_TRUE(kernel->built_on(1));
  EXPECT_EQ(w.stats()["first_split"], 1);
}

TEST(KnownKernels, DoNotWaitForBuildsLongerThanPays) {
  for (const double seconds : {0.0, 1e-5, 1e-3}) {
    World w(seconds);
    const auto kernel = w.built_on({0});
    ASSERT_EQ(w.run(kernel), CL_COMPLETE);
    EXPECT_TRUE(kernel->builds().open(1)) << seconds;
    EXPECT_EQ(w.stats()["first_split"], 0);
  }
}

/// Until the queue, which has one thread, has built all that was queued before.
void wait_for(BuildQueue& queue) {
  const auto last =
      std::make_shared<NativeBuilds>(std::vector<std::uint32_t>{0, 1}, [](std::uint32_t) -> NativeBuilds::Made {
        return {std::make_shared<FakeProgram>(), {}};
      });
  queue.follow_on(last, {1});
  last->wait_until(1, std::chrono::steady_clock::now() + std::chrono::minutes(5));
}

// Which other programs' builds wait with until launches have been repeated for a while.
TEST(KnownKernels, BeginTheBuildsOfSlowDevicesThatTheyGainByAtTheSecondLaunch) {
  for (const bool known : {true, false}) {
    World w(known ? 1e-2 : 0.0);
    BuildQueue builds(1, {.for_slow_start = std::chrono::hours(1)}, std::uint64_t{1} << 1);
    w.machine.builds = &builds;
    const auto kernel = w.built_on({0});
    builds.follow(kernel->shared_builds(), std::chrono::hours(1));
    ASSERT_EQ(w.run(kernel), CL_COMPLETE);
    EXPECT_TRUE(kernel->builds().open(1));
    ASSERT_EQ(w.run(kernel), CL_COMPLETE);
    wait_for(builds);
    EXPECT_EQ(kernel->built_on(1), known);
    EXPECT_EQ(kernel->builds().open(1), !known);
    w.machine.builds = nullptr;
  }
}

// A device is expected to be as fast as another one of its make, and would take half of the launch.
TEST(KnownKernels, OfThisProcessBeginThemWhereEachLaunchGainsMuch) {
  for (const double gain : {0.5, 2.0}) {
    World w(0.0);
    domain::DeviceModel gpu;
    gpu.likeness = 7;
    w.model.set_device(0, gpu);
    w.model.set_device(1, gpu);
    w.fakes[0]->ns_per_group = static_cast<std::uint64_t>(gain * 2e9 * tuning::kSlowStartGain / kGroups);
    BuildQueue builds(1, {.for_slow_start = std::chrono::hours(1)}, std::uint64_t{1} << 1);
    w.machine.builds = &builds;
    const auto kernel = w.built_on({0});
    builds.follow(kernel->shared_builds(), std::chrono::hours(1));
    for (int i = 0; i < 5; ++i) ASSERT_EQ(w.run(kernel), CL_COMPLETE);
    wait_for(builds);
    EXPECT_EQ(kernel->built_on(1), gain > 1) << gain;
    w.machine.builds = nullptr;
  }
}

// Once it is known that the application does not write its inputs anew for each round, so that they move once.
TEST(KnownKernels, RunFromTheFirstLaunchesOnWhereFormerRoundsWereShorter) {
  for (const bool asked : {true, false}) {
    World w(0.0);
    w.machine.profile_keys[1].name = "another";
    w.machine.settings.profiled = 0;
    w.machine.settings.remembers_rounds = asked;
    w.store.rounds_ns = {8'000'000, 4'000'000};
    const auto kernel = w.built_on({0, 1});
    for (int i = 0; i < 10; ++i) ASSERT_EQ(w.run(kernel), CL_COMPLETE);
    EXPECT_EQ(w.fakes[1]->counters.runs > 0, asked);
  }
}

// A search costs tens of microseconds.
TEST(KnownKernels, ShortOnesAreNotPlannedForMoreThanTheyTake) {
  World w(1e-4);
  ASSERT_EQ(w.run(w.built_on({0, 1})), CL_COMPLETE);
  EXPECT_EQ(w.stats()["first_split"], 0);
  EXPECT_EQ(w.stats()["model"]["source"], "database");
}

}  // namespace
}  // namespace skmd::icd::test
