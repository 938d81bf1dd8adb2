// SPDX-License-Identifier: Apache-2.0
#include "partitioner/merge/merge_place.h"

#include <gtest/gtest.h>

#include <vector>

namespace skmd::domain {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{1} << 28;
constexpr double kLink = 20e9;

MergePart gpu(std::uint32_t device) { return {device, false, true, kBytes, 0, kLink, kLink}; }
MergePart cpu(std::uint32_t device) { return {device, true, false, kBytes, 0, kLink, kLink}; }

/// Old contents everywhere, the next user not known, and a host that is slower than the links.
MergeQuestion question(const std::vector<MergePart>& parts) {
  MergeQuestion asked;
  asked.parts = parts;
  asked.joined = kBytes;
  asked.old_from = kLink;
  asked.host_seconds = static_cast<double>(kBytes) * 0.3e-9;
  return asked;
}

TEST(MergePlace, IsTheDeviceThatUsesTheResultNext) {
  const std::vector<MergePart> parts = {gpu(0), gpu(1)};
  MergeQuestion asked = question(parts);
  asked.next_user = 1;
  EXPECT_EQ(merge_place(asked, false), 1u);
  asked.next_user = 0;
  EXPECT_EQ(merge_place(asked, false), 0u);
}

TEST(MergePlace, IsADeviceWhereTheHostIsTheBottleneck) {
  const std::vector<MergePart> parts = {cpu(0), gpu(1)};
  MergeQuestion asked = question(parts);
  EXPECT_EQ(merge_place(asked, false), 1u);
  asked.host_seconds = 0.0;
  EXPECT_EQ(merge_place(asked, false), std::nullopt);
}

TEST(MergePlace, IsTheHostWhereThatCostsAboutTheSame) {
  const std::vector<MergePart> parts = {cpu(0), gpu(1)};
  MergeQuestion asked = question(parts);
  const auto balance = [&](double seconds) {
    asked.host_seconds = 0.0;
    asked.host_seconds = merge_seconds_on(asked, 1) + seconds - merge_seconds_on_host(asked);
  };
  balance(0.0);
  EXPECT_EQ(merge_place(asked, false), std::nullopt);
  balance(0.2 * merge_seconds_on(asked, 1));
  EXPECT_EQ(merge_place(asked, false), 1u);
}

TEST(MergePlace, IsTheHostForFewBytes) {
  std::vector<MergePart> parts = {cpu(0), gpu(1)};
  for (MergePart& part : parts) part.stored = 4096;
  MergeQuestion asked = question(parts);
  asked.joined = 4096;
  asked.host_seconds = 4096 * 0.3e-9;
  asked.next_user = 1;
  EXPECT_EQ(merge_place(asked, false), std::nullopt);
}

TEST(MergePlace, CountsOldContentsThatHaveToMove) {
  std::vector<MergePart> parts = {gpu(0), gpu(1)};
  parts[0].old_missing = kBytes;
  const MergeQuestion asked = question(parts);
  EXPECT_EQ(merge_place(asked, false), 1u);
  EXPECT_NEAR(merge_seconds_on(asked, 0) - merge_seconds_on(asked, 1), static_cast<double>(kBytes) / kLink, 1e-9);
  MergeQuestion far = asked;
  far.old_missing_on_host = kBytes;
  EXPECT_NEAR(merge_seconds_on_host(far) - merge_seconds_on_host(asked), static_cast<double>(kBytes) / kLink, 1e-9);
}

TEST(MergePlace, IsNoDeviceThatTakesNoMergeKernels) {
  std::vector<MergePart> parts = {gpu(0), gpu(1)};
  for (MergePart& part : parts) part.replays = false;
  MergeQuestion asked = question(parts);
  asked.next_user = 0;
  for (const bool always : {false, true}) EXPECT_EQ(merge_place(asked, always), std::nullopt);
  parts[1].replays = true;
  EXPECT_EQ(merge_place(asked, true), 1u);
}

TEST(MergePlace, IsAlwaysADeviceWhereThatIsAskedFor) {
  const std::vector<MergePart> parts = {cpu(0), gpu(1)};
  MergeQuestion asked = question(parts);
  asked.host_seconds = 0.0;
  ASSERT_EQ(merge_place(asked, false), std::nullopt);
  EXPECT_EQ(merge_place(asked, true), 1u);
}

TEST(MergePlace, SomebodyElseWhoComesNextHasToBeSent) {
  const std::vector<MergePart> parts = {cpu(0), gpu(1)};
  MergeQuestion asked = question(parts);
  asked.next_user = 1;
  const double here = merge_seconds_on(asked, 1);
  asked.next_user = 7;  // has no slice of this launch
  EXPECT_GT(merge_seconds_on(asked, 1), here + static_cast<double>(kBytes) / kLink);
}

}  // namespace
}  // namespace skmd::domain
