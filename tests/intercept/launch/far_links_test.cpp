// SPDX-License-Identifier: Apache-2.0
// What is known of links to other hosts reaches plans: round trips, rates each way, and which devices share one.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "intercept/launch/moving_bytes.h"
#include "intercept/memory/far_links.h"
#include "intercept/memory/link_rates.h"
#include "intercept/memory/memory_constants.h"
#include "partitioner/plan/partition.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr double kRoundTrip = 300e-6, kTo = 1e9, kFrom = 0.5e9, kLaunch = 10e-6;
constexpr std::uint64_t kLarge = std::uint64_t{64} << 20;  // so long that it tells a rate

std::uint64_t nanoseconds(double rate) {
  return static_cast<std::uint64_t>((kRoundTrip + static_cast<double>(kLarge) / rate) * 1e9);
}

/// Device 0 works in host memory, 1 has its own; 2 and 3 are of one other host, 4 is of another.
struct World : FakeMachine {
  World() : FakeMachine({false, true, true, true, true}), models(5) {
    LinkRates& links = LinkRates::get();
    links.set_far(2, 2);
    links.set_far(3, 2);
    links.set_far(4, 4);
    links.learn_round_trip(2, static_cast<std::uint64_t>(kRoundTrip * 1e9));
    // By one of its devices each: the host's link is what is learned.
    links.learn_to(3, kLarge, nanoseconds(kTo));
    links.learn_from(2, kLarge, nanoseconds(kFrom));
    for (domain::DeviceModel& one : models) {
      one.launch_seconds = kLaunch;
      one.likeness = 7;
    }
    set_links(machine, models);
  }
  std::vector<domain::DeviceModel> models;
};

TEST(FarLinks, DevicesOfAHostHaveWhatWasLearnedOfItsLink) {
  const World w;
  for (const std::uint32_t d : {2u, 3u}) {
    const domain::DeviceModel& model = w.models[d];
    EXPECT_NEAR(model.launch_seconds, kLaunch + kRoundTrip, 1e-9) << d;
    EXPECT_NEAR(model.link.bulk_seconds, kRoundTrip, 1e-9) << d;
    EXPECT_EQ(model.link.small_part, 0.0) << d;
    EXPECT_NEAR(model.bytes_to_per_second, kTo, 0.01 * kTo) << d;
    EXPECT_NEAR(model.bytes_from_per_second, kFrom, 0.01 * kFrom) << d;
    EXPECT_EQ(model.shared_link, 3u) << d;
  }
}

TEST(FarLinks, AnotherHostHasALinkOfItsOwn) {
  const World w;
  const domain::DeviceModel& model = w.models[4];
  EXPECT_EQ(model.shared_link, 0u) << "of one device, planned as any device's";
  EXPECT_EQ(model.launch_seconds, kLaunch + tuning::kAssumedRoundTrip) << "not measured yet";
  EXPECT_EQ(model.bytes_to_per_second, tuning::kAssumedNetwork) << "though a device of the same make has a rate";
  EXPECT_EQ(model.bytes_from_per_second, tuning::kAssumedNetwork);
}

TEST(FarLinks, DecisionsRestOnWhatIsKnownOfALink) {
  const World w;
  for (const std::uint32_t d : {2u, 3u}) {
    EXPECT_NEAR(far_link(d).round_trip, kRoundTrip, 1e-9) << d;
    EXPECT_NEAR(far_link(d).to, kTo, 0.01 * kTo) << d;
    EXPECT_NEAR(far_link(d).from, kFrom, 0.01 * kFrom) << d;
  }
  EXPECT_EQ(far_link(4).round_trip, tuning::kAssumedRoundTrip);
  EXPECT_EQ(far_link(4).to, tuning::kAssumedNetwork);
  EXPECT_EQ(far_link(4).from, tuning::kAssumedNetwork);
  for (const std::uint32_t d : {0u, 1u})
    EXPECT_EQ(far_link(d).round_trip + far_link(d).to + far_link(d).from, 0.0) << d;
}

TEST(FarLinks, DevicesHereShareNone) {
  const World w;
  for (const std::uint32_t d : {0u, 1u}) {
    EXPECT_EQ(w.models[d].shared_link, 0u) << d;
    EXPECT_EQ(w.models[d].launch_seconds, kLaunch) << d;
    EXPECT_EQ(w.models[d].link.latency_seconds, tuning::kLinkShape.latency_seconds) << d;
  }
}

/// Of another host, with a first read that takes as long as a far GPU's, whose driver gets page-locked memory for it.
class SlowToBegin : public FakeDevice {
 public:
  SlowToBegin() : FakeDevice("far", true, {}) { set_host("b:1"); }
  Ticket submit(Batch&& batch) override {
    if (std::holds_alternative<ReadOp>(batch.ops.front()) && !read_.exchange(true))
      std::this_thread::sleep_for(std::chrono::seconds(1));
    return FakeDevice::submit(std::move(batch));
  }

 private:
  std::atomic<bool> read_{false};
};

TEST(FarLinks, FirstUsesAreNotTheLinksRates) {
  constexpr std::uint32_t kDevice = 5;
  FakeMachine w({false, true, true, true, true, true});
  w.machine.devices[kDevice] = std::make_shared<SlowToBegin>();
  w.machine.hosts.push_back({.address = "b:1"});
  set_up_far_links(w.machine);
  measure_far_links(w.machine);
  LinkRate rate;
  for (int i = 0; i < 2000 && !(rate = LinkRates::get().of(kDevice)).from; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_TRUE(rate.from) << "it was not measured";
  EXPECT_GT(*rate.from, static_cast<double>(tuning::kFarLarge) / 0.5);
}

/// Of another host; the second question what it is waits until it is told to go on.
class AskedTwice : public FakeDevice {
 public:
  AskedTwice() : FakeDevice("far", true, {}) { set_host("b:1"); }
  const DeviceDescription& description() const override {
    if (++asked_ == 2) {
      waits.set_value();
      goes_on.get_future().wait();
    }
    return FakeDevice::description();
  }
  mutable std::promise<void> waits, goes_on;
  mutable std::atomic<int> asked_{2};  // 0: from now on questions are counted
};

TEST(FarLinks, AReportThatWasBegunBeforeAHostWasLostDoesNotReplaceTheOneAfterwards) {
  ObserverOptions options;
  options.count = true;
  Observer observer(options);
  FakeMachine w({false, true});
  const auto far = std::make_shared<AskedTwice>();
  w.machine.devices[1] = far;
  w.machine.hosts.push_back({.address = "b:1"});
  Observer* const before = std::exchange(w.machine.observer, &observer);
  far->asked_ = 0;
  const auto first = std::async(std::launch::async, [&] { report_hosts(w.machine); });
  far->waits.get_future().wait();
  far->health()->set_aside();
  const auto second = std::async(std::launch::async, [&] { report_hosts(w.machine); });
  second.wait_for(std::chrono::milliseconds(100));  // long enough for it to end, were it not to wait for the first
  far->goes_on.set_value();
  first.wait();
  second.wait();
  w.machine.observer = before;
  EXPECT_NE(observer.stats_json().find("\"lost\":true"), std::string::npos) << observer.stats_json();
}

}  // namespace
}  // namespace skmd::icd::test
