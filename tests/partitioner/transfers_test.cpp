// SPDX-License-Identifier: Apache-2.0
// What plans charge for transfers, and for slices that do not fill a device.
#include <gtest/gtest.h>

#include "tests/partitioner/planned_machine.h"

namespace skmd::domain {
namespace {

using test::device;
using test::groups_of;
using test::slices;
using Machine = test::PlannedMachine;

TEST(Transfers, CopiesInHostMemoryCountAgainstADevice) {
  // A group takes a millisecond anywhere, and device 1 copies for it as long while no device computes: a split gains
  // nothing. Half as long, and it gains a quarter.
  Machine m({device(1000), device(1000)}, 1000);
  m.request.host_bytes_per_second = 1e6;
  m.request.bytes_from = [](std::uint32_t d, const GroupSpan& span) {
    return Moving(0, d == 1 ? span.size() * 1000 : 0);
  };
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 1000}}}));
  m.request.host_bytes_per_second = 2e6;
  EXPECT_EQ(m.plan().slices.size(), 2u);
  EXPECT_NEAR(m.plan().predicted_seconds, 0.75, 0.01);
  m.request.host_bytes_per_second = 0;
  EXPECT_NEAR(static_cast<double>(groups_of(m.plan(), 0)), 500, 10) << "copies cost nothing";
}

TEST(Transfers, TheFixedTimeOfTransfersCounts) {
  // Ten milliseconds before the first byte of device 1 has come, where alone device 0 takes eleven.
  Machine m({device(1000), device(1000)}, 11);
  m.devices[1].link.bulk_seconds = 10e-3;
  m.request.bytes_to = [](std::uint32_t d, const GroupSpan&) { return std::uint64_t{d}; };
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 11}}}));
  m.devices[1].link.small_part = 1;  // small transfers have a shorter way
  EXPECT_EQ(m.plan().slices.size(), 2u);
}

TEST(Units, FewerGroupsThanUnitsTakeAsLongAsThoseDo) {
  // By its rate device 1 could take nine of a hundred groups; its sixty-four units take 0.64 s for any number of them.
  Machine m({device(1000), device(100)}, 100);
  EXPECT_EQ(m.plan().slices.size(), 2u);
  m.devices[1].units = 64;
  EXPECT_EQ(m.plan().slices, slices({{0, {0, 100}}}));
}

}  // namespace
}  // namespace skmd::domain
