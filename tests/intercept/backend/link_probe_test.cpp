// SPDX-License-Identifier: Apache-2.0
// Transfers for calibration take the way that was asked for, and no other.
#include "intercept/backend/vendor/link_probe.h"

#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

constexpr std::uint64_t kBytes = 8u << 20;

class LinkProbes : public StubDevice {
 protected:
  [[nodiscard]] bool is_processor() const { return device_->description().kind == DeviceKind::cpu; }
};

std::size_t count(const std::vector<std::string>& log, const std::string& call, const std::string& part) {
  std::size_t found = 0;
  for (const std::string& line : calls_of(log, call)) found += line.find(part) != std::string::npos ? 1 : 0;
  return found;
}

TEST_P(LinkProbes, TakeTheWayThatIsAskedFor) {
  auto link = device_->link_probe();
  ASSERT_TRUE(link) << link.error().reason;
  EXPECT_EQ(*link == nullptr, is_processor());
  if (is_processor()) return;
  ASSERT_TRUE((*link)->prepare(kBytes));
  for (const bool to_device : {true, false}) {
    const std::string call = to_device ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer";
    for (const TransferWay way : {TransferWay::direct, TransferWay::pinned}) {
      stub::take_log();
      const Status moved = (*link)->transfer({way, to_device, kBytes, 1});
      ASSERT_TRUE(moved) << moved.error().reason;
      EXPECT_EQ(count(stub::take_log(), call, "bytes=" + std::to_string(kBytes)), 1u);
    }
    for (std::uint32_t threads = 1; threads <= (*link)->most_threads() && threads <= 2; ++threads) {
      stub::take_log();
      const Status moved = (*link)->transfer({TransferWay::staged, to_device, kBytes, threads});
      if ((*link)->most_threads() < 2) continue;  // one processor
      ASSERT_TRUE(moved) << moved.error().reason;
      EXPECT_EQ(count(stub::take_log(), call, "bytes=1048576"), 8u);
    }
  }
}

TEST_P(LinkProbes, FailuresOfTheDriverAreErrors) {
  auto link = device_->link_probe();
  ASSERT_TRUE(link);
  if (is_processor()) return;
  ASSERT_TRUE((*link)->prepare(kBytes));
  for (const bool to_device : {true, false})
    for (const TransferWay way : {TransferWay::direct, TransferWay::pinned, TransferWay::staged}) {
      stub::set_failure(to_device ? "clEnqueueWriteBuffer:1+" : "clEnqueueReadBuffer:1+");
      EXPECT_FALSE((*link)->transfer({way, to_device, kBytes, 2}));
      stub::set_failure("");
    }
  stub::set_failure("clCreateBuffer:1+");
  EXPECT_FALSE((*link)->prepare(kBytes));
}

TEST_P(LinkProbes, GoThroughThePortWhereThatIsTheOnlyWay) {
  const auto link = port_link(device_);
  ASSERT_TRUE(link->prepare(kBytes));
  EXPECT_EQ(link->most_threads(), 0u);
  EXPECT_TRUE(link->transfer({TransferWay::direct, true, kBytes, 1}));
  EXPECT_TRUE(link->transfer({TransferWay::direct, false, kBytes, 1}));
  stub::set_failure("clEnqueueReadBuffer:1+");
  EXPECT_FALSE(link->transfer({TransferWay::direct, false, kBytes, 1}));
}

INSTANTIATE_TEST_SUITE_P(Kinds, LinkProbes, testing::ValuesIn(kStubKinds), stub_kind_name);

}  // namespace
}  // namespace skmd::icd
