// SPDX-License-Identifier: Apache-2.0
// A machine of the stub driver's devices, calibrated as a whole.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>

#include "intercept/backend/discovery/discovery.h"
#include "intercept/calibration/calibrate.h"
#include "tests/stub-icd/control.h"

namespace skmd::icd::calibration {
namespace {

using domain::Direction;

class StubMachine : public testing::Test {
 protected:
  static std::vector<Subject> subjects(const std::string& selectors) {
    auto found = discover({.vendors_folder = STUB_ICD_VENDORS, .selectors = selectors, .own_library = ""});
    EXPECT_TRUE(found) << found.error().reason;
    std::vector<Subject> list;
    for (const auto& device : found->devices)
      list.push_back({device, {device->description().platform, device->description().name, "1.0", 8}});
    return list;
  }
  /// Time goes by with each look at it, and at no other time: what is measured takes as many looks, not seconds.
  Findings calibrate(const std::vector<Subject>& list) {
    Orders orders;
    last_ = 0.0;
    orders.clock = [this] { return now_ += 1e-3; };
    orders.seconds = 1.0;
    orders.salt = "1";
    orders.progress = [this](double part, const std::string& what) {
      EXPECT_GE(part, last_);
      EXPECT_LE(part, 1.0);
      EXPECT_NE(what, "");
      last_ = part;
      ++told_;
    };
    return calibration::calibrate(list, orders);
  }
  void TearDown() override { stub::set_failure(""); }
  std::atomic<double> now_{0.0};
  double last_ = 0.0;
  int told_ = 0;
};

bool is_rate(double value) { return std::isfinite(value) && value > 0; }

TEST_F(StubMachine, IsMeasuredWhole) {
  const Findings found = calibrate(subjects("stub:0,stub:1,stub:2"));
  EXPECT_TRUE(found.problems.empty()) << found.problems.front();
  ASSERT_EQ(found.devices.size(), 3u);
  for (const auto& device : found.devices) {
    EXPECT_TRUE(is_rate(device.launch_seconds));
    EXPECT_TRUE(is_rate(device.box_seconds));
    EXPECT_TRUE(is_rate(device.first_use_seconds));
    EXPECT_TRUE(is_rate(device.memory.beyond_per_second));
    EXPECT_FALSE(device.bandwidth.empty());
    EXPECT_EQ(device.host_cores, device.device.name.find("CPU") != std::string::npos);
  }
  ASSERT_EQ(found.links.size(), 6u);
  for (const auto& link : found.links) {
    ASSERT_TRUE(link.direct);
    EXPECT_TRUE(is_rate(link.direct->line.bytes_per_second));
    EXPECT_EQ(link.direct->points.front().bytes, 1024u);
    // GPUs have memory of their own: each link beside that of the other GPU, and beside the processor.
    EXPECT_EQ(link.in_place, link.device.name.find("CPU") != std::string::npos);
    EXPECT_EQ(link.beside_links.size(), link.in_place ? 0u : 1u);
    EXPECT_EQ(link.beside_kernels.size(), link.in_place ? 0u : 1u);
    for (const auto& beside : link.beside_links) EXPECT_TRUE(is_rate(beside.bytes_per_second));
  }
  EXPECT_GT(told_, 20);
}

TEST_F(StubMachine, EqualDevicesAreMeasuredOnceAndAsAPair) {
  auto list = subjects("stub:0,stub:1");
  list[1].key = list[0].key;
  const Findings found = calibrate(list);
  EXPECT_EQ(found.devices.size(), 1u);
  ASSERT_EQ(found.links.size(), 2u);
  for (const auto& link : found.links) EXPECT_EQ(link.beside_links.size(), 1u);
}

TEST_F(StubMachine, OneDeviceThatFailsLeavesTheOthers) {
  const auto list = subjects("stub:0,stub:2");
  stub::fail_builds(1);
  const Findings found = calibrate(list);
  stub::fail_builds(0);
  ASSERT_EQ(found.devices.size(), 1u);
  EXPECT_EQ(found.devices.front().device.name, list[1].key.name);
  ASSERT_EQ(found.problems.size(), 1u);
  EXPECT_NE(found.problems.front().find(list[0].key.name), std::string::npos);
  EXPECT_EQ(found.links.size(), 4u);
}

TEST_F(StubMachine, NothingStaysBehind) {
  const auto list = subjects("stub:0,stub:1,stub:2");
  calibrate(list);
  const std::size_t before = stub::live_objects();
  calibrate(list);
  EXPECT_EQ(stub::live_objects(), before) << stub::live_kinds();
}

}  // namespace
}  // namespace skmd::icd::calibration

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // A read or transfer takes at most an eighth of a device's memory, 8 MiB here. A virtual machine on which a page
  // fault takes 30 us needs a minute for a gigabyte that is touched for the first time.
  setenv("STUB_INFO", "GLOBAL_MEM_SIZE=67108864", 1);
  stub::configure("gpu,gpu,cpu", 0);
  return RUN_ALL_TESTS();
}
