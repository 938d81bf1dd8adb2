// SPDX-License-Identifier: Apache-2.0
// What launches leave for the profile database.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "intercept/backend/port/host_clock.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 16384, kBytes = 4 * kItems, kLocal = 64;

class Collector : public domain::ProfileSink {
 public:
  bool wants(std::uint64_t kind, double took) noexcept override {
    const std::lock_guard lock(mutex_);
    kinds.push_back(kind);
    seconds.push_back(took);
    return open;
  }
  void add(const domain::ProfileSample& sample, std::uint64_t kind) noexcept override {
    const std::lock_guard lock(mutex_);
    samples.push_back(sample);
    added.push_back(kind);
  }
  [[nodiscard]] domain::SinkProgress progress() const noexcept override {
    const std::lock_guard lock(mutex_);
    return {samples.size(), samples.size() < 2 ? "" : "two are enough"};
  }
  std::vector<domain::ProfileSample> samples;
  std::vector<std::uint64_t> kinds;  // that were asked for
  std::vector<double> seconds;       // likewise
  std::vector<std::uint64_t> added;
  bool open = true;

 private:
  mutable std::mutex mutex_;
};

class ProfileRecord : public testing::Test {
 protected:
  void use(FakeMachine& w) {
    w.machine.profile = &sink_;
    for (std::uint32_t i = 0; i < w.machine.devices.size(); ++i)
      w.machine.profile_keys.push_back({"platform", "device " + std::to_string(i), "1", 4});
    w.machine.settings.profile_tag = "tag";
    for (const auto& fake : w.fakes)
      fake->times = [](const Batch& batch) {
        std::vector<OpTime> told;
        for (std::size_t i = 0; i < batch.work().size(); ++i) told.push_back({1000 + 2000 * i, 2000 + 2000 * i, 700});
        return told;
      };
  }
  Collector sink_;
};

TEST_F(ProfileRecord, EachSliceLeavesASample) {
  FakeMachine w({true, true}, "equal");
  use(w);
  const auto x = w.storage(kBytes), y = w.storage(kBytes);
  const auto axpy = w.kernel(axpy_traits());
  ASSERT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(std::uint32_t{3})})->wait(),
            CL_COMPLETE);
  ASSERT_EQ(sink_.samples.size(), 2u);
  std::sort(sink_.samples.begin(), sink_.samples.end(),
            [](const auto& a, const auto& b) { return a.span.first < b.span.first; });
  EXPECT_EQ(sink_.samples[0].span, (domain::GroupSpan{0, kItems / kLocal / 2}));
  EXPECT_EQ(sink_.samples[1].span, (domain::GroupSpan{kItems / kLocal / 2, kItems / kLocal}));
  for (std::size_t i = 0; i < 2; ++i) {
    const domain::ProfileSample& sample = sink_.samples[i];
    EXPECT_EQ(sample.kernel.name, axpy->traits().name);
    EXPECT_EQ(sample.kernel.program, axpy->program_hash());
    EXPECT_EQ(sample.device.name, "device " + std::to_string(i));
    EXPECT_EQ(sample.tag, "tag");
    EXPECT_EQ(sample.range, line(kItems, kLocal));
    EXPECT_EQ(sample.boxes, 1u);
    EXPECT_EQ(sample.buffers, (std::vector<domain::BufferArgument>{{0, kBytes}, {1, kBytes}}));
    EXPECT_EQ(sample.scalars, (std::vector<domain::ScalarArgument>{{2, 3}}));
    EXPECT_EQ(sample.kernel_ns, 700u);
    EXPECT_DOUBLE_EQ(sample.group_bytes, kLocal * 12.0);  // x and y read, y written
    EXPECT_DOUBLE_EQ(sample.group_operations, kLocal * 5.0);
    EXPECT_FALSE(sample.data_decides_work);
    EXPECT_TRUE(sample.first_use);
    EXPECT_GT(sample.date, 1700000000);
  }
}

TEST_F(ProfileRecord, AWholeLaunchLeavesOneAlsoWhereThereIsNothingToDecide) {
  FakeMachine w({true}, "single:0");
  use(w);
  const auto x = w.storage(kBytes), y = w.storage(kBytes);
  const auto axpy = w.kernel(axpy_traits());
  for (int i = 0; i < 3; ++i)
    ASSERT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(std::uint32_t{3})})->wait(),
              CL_COMPLETE);
  ASSERT_EQ(sink_.samples.size(), 3u);
  EXPECT_EQ(
      std::count_if(sink_.samples.begin(), sink_.samples.end(), [](const auto& sample) { return sample.first_use; }),
      1);
  EXPECT_EQ(sink_.kinds[1], sink_.kinds[2]);
  EXPECT_NE(sink_.kinds[0], sink_.kinds[1]);
  EXPECT_EQ(sink_.added, sink_.kinds);
  EXPECT_DOUBLE_EQ(sink_.seconds[0], 700e-9);  // beside which keeping it is to be little
  w.machine.settings.profile_every_launch = true;
  ASSERT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(std::uint32_t{3})})->wait(),
            CL_COMPLETE);
  EXPECT_GT(sink_.seconds.back(), 1e9);
}

// The launches are of one shape: the value decides no address.
TEST_F(ProfileRecord, TheWorkIsThatOfTheLaunchsOwnArguments) {
  domain::KernelTraits traits = axpy_traits();
  domain::Node times;
  times.op = domain::Op::scalar_argument;
  times.bits = 32;
  times.value = 2;
  traits.nodes.push_back(times);
  traits.loops.push_back({static_cast<domain::NodeId>(traits.nodes.size() - 1), true});
  traits.operations = {{5, {}, {static_cast<std::uint32_t>(traits.loops.size() - 1)}}};
  FakeMachine w({true}, "single:0");
  use(w);
  const auto x = w.storage(kBytes), y = w.storage(kBytes);
  const auto loop = w.kernel(traits);
  for (const std::uint32_t backedges : {3u, 9u, 9u, 3u})
    ASSERT_EQ(w.launch(loop, line(kItems, kLocal), {whole(y), whole(x), value_of(backedges)})->wait(), CL_COMPLETE);
  ASSERT_EQ(sink_.samples.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_DOUBLE_EQ(sink_.samples[i].group_operations, kLocal * 5.0 * (i == 1 || i == 2 ? 10 : 4)) << i;
}

TEST_F(ProfileRecord, SaysWhereDataDecidesTheWork) {
  FakeMachine w({true}, "single:0");
  use(w);
  const auto x = w.storage(kBytes), y = w.storage(kBytes);
  domain::KernelTraits traits = axpy_traits();
  traits.facts |= domain::kFactDataDecidesWork;
  const std::vector<LaunchArgument> arguments{whole(y), whole(x), value_of(std::uint32_t{3})};
  ASSERT_EQ(w.launch(w.kernel(traits), line(kItems, kLocal), arguments)->wait(), CL_COMPLETE);
  ASSERT_EQ(sink_.samples.size(), 1u);
  EXPECT_TRUE(sink_.samples[0].data_decides_work);
}

TEST_F(ProfileRecord, TheStatisticsTellWhatWasWrittenAndWhatIsInTheWay) {
  FakeMachine w({true}, "single:0");
  use(w);
  w.machine.observer->profile_file("/some/profile.db");
  const auto profile = [&] { return nlohmann::json::parse(w.machine.observer->stats_json())["profile"]; };
  EXPECT_EQ(profile()["written"], 0);
  const auto x = w.storage(kBytes), y = w.storage(kBytes);
  const auto axpy = w.kernel(axpy_traits());
  const auto launch = [&] {
    EXPECT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(std::uint32_t{3})})->wait(),
              CL_COMPLETE);
  };
  launch();
  EXPECT_EQ(profile(), nlohmann::json::parse(R"({"file":"/some/profile.db","loaded":0,"written":1,"problem":null})"));
  launch();
  EXPECT_EQ(profile(),
            nlohmann::json::parse(R"({"file":"/some/profile.db","loaded":0,"written":2,"problem":"two are enough"})"));
}

TEST_F(ProfileRecord, PredictionsAreTheProcesssOwn) {
  FakeMachine w({true, true}, "auto");
  use(w);
  const auto model = [&] { return nlohmann::json::parse(w.machine.observer->stats_json())["kernels"][0]["model"]; };
  const auto x = w.storage(kBytes), y = w.storage(kBytes);
  const auto axpy = w.kernel(axpy_traits());
  std::vector<std::string> sources;
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(std::uint32_t{3})})->wait(),
              CL_COMPLETE);
    sources.push_back(model()["source"]);
  }
  EXPECT_EQ(sources.front(), "none");
  EXPECT_EQ(sources.back(), "process");
  EXPECT_TRUE(model()["error"].is_number());
}

TEST_F(ProfileRecord, WhatAnotherDriverRanIsNoneOfTheDevices) {
  FakeMachine w({true, true}, "equal");
  use(w);
  w.fakes[0]->kernels_elsewhere = true;
  const auto x = w.storage(kBytes), y = w.storage(kBytes);
  const auto axpy = w.kernel(axpy_traits());
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(std::uint32_t{3})})->wait(),
              CL_COMPLETE);
  ASSERT_EQ(sink_.samples.size(), 2u);
  for (const auto& sample : sink_.samples) EXPECT_EQ(sample.device.name, "device 1");
}

TEST_F(ProfileRecord, WhatIsNotWantedIsNotMade) {
  FakeMachine w({true}, "single:0");
  use(w);
  sink_.open = false;
  const auto x = w.storage(kBytes), y = w.storage(kBytes);
  const auto axpy = w.kernel(axpy_traits());
  ASSERT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(std::uint32_t{3})})->wait(),
            CL_COMPLETE);
  EXPECT_EQ(sink_.kinds.size(), 1u);
  EXPECT_TRUE(sink_.samples.empty());
}

TEST_F(ProfileRecord, RoundsWithTheLaunchWholeOnOneDeviceLeaveASampleOfTheirOwn) {
  FakeMachine w({true, true}, "auto");
  use(w);
  for (const auto& fake : w.fakes)
    fake->times = [](const Batch& batch) {
      return std::vector<OpTime>(batch.work().size(), {host_now() - 1000, host_now(), 700});
    };
  const auto x = w.storage(kBytes), y = w.storage(kBytes);
  const auto axpy = w.kernel(axpy_traits());
  for (int i = 0; i < 8; ++i)  // so that all launches run whole on the first one
    for (const std::uint32_t device : {0u, 1u})
      w.model.learn(
          {axpy->id(), device, line(kItems, kLocal), {0, kItems / kLocal}, device == 0 ? 100'000u : 1'000'000'000u});
  const auto rounds = [&] {
    std::vector<domain::ProfileSample> found;
    for (const auto& sample : sink_.samples)
      if (sample.kernel.form == domain::kRoundsForm) found.push_back(sample);
    return found;
  };
  for (int i = 0; i < 200 && rounds().empty(); ++i)
    ASSERT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(std::uint32_t{3})})->wait(),
              CL_COMPLETE);
  ASSERT_FALSE(rounds().empty());
  const domain::ProfileSample first = rounds().front();
  EXPECT_EQ(first.span, (domain::GroupSpan{0, kItems / kLocal}));
  EXPECT_EQ(first.passed_over + 1, 3u);
  EXPECT_TRUE(first.warm) << "they hold this launch only";
  EXPECT_GT(first.kernel_ns, 0u);
  EXPECT_EQ(first.kernel.name, axpy->traits().name);
}

}  // namespace
}  // namespace skmd::icd::test
