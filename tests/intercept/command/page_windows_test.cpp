// SPDX-License-Identifier: Apache-2.0
// Which parts of a buffer's host copy are page-locked, by the transfers of one device.
#include "intercept/machine/page_windows.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "intercept/machine/machine_constants.h"

namespace skmd::icd::test {
namespace {

using domain::ByteRange;
using namespace tuning;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20, kBytes = 1024 * kMib;

/// The last of so many transfers.
PageWindows::Window* after(PageWindows& windows, const ByteRange& range, unsigned transfers) {
  PageWindows::Window* last = nullptr;
  for (unsigned i = 0; i < transfers; ++i) last = windows.transferred(range);
  return last;
}

TEST(PageWindows, APartIsLockedAfterSomeTransfers) {
  PageWindows windows(kBytes);
  EXPECT_EQ(after(windows, {kMib, 2 * kMib}, kWindowTransfers - 1), nullptr);
  const auto* const window = windows.transferred({kMib, 2 * kMib});
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(window->pages, (ByteRange{kMib, 2 * kMib}));
  EXPECT_NE(windows.transferred({kMib + 5, 2 * kMib - 5}), nullptr) << "which has a part of it, too";
}

TEST(PageWindows, AreWholePages) {
  PageWindows windows(10 * kPage + 1);
  const auto* const window = after(windows, {kPage + 1, 3 * kPage + 1}, kWindowTransfers);
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(window->pages, (ByteRange{kPage, 4 * kPage}));
  const auto* const last = after(windows, {9 * kPage, 10 * kPage + 1}, kWindowTransfers);
  ASSERT_NE(last, nullptr);
  EXPECT_EQ(last->pages, (ByteRange{9 * kPage, 11 * kPage})) << "as they are mapped";
}

TEST(PageWindows, ThatShareAPageBecomeOne) {
  PageWindows windows(kBytes);
  after(windows, {kMib, 2 * kMib + 1}, kWindowTransfers);
  EXPECT_EQ(windows.transferred({2 * kMib + 1, 3 * kMib}), nullptr) << "it begins anew";
  const auto* const window = after(windows, {kMib, kMib + 1}, kWindowTransfers - 1);
  ASSERT_NE(window, nullptr);
  EXPECT_EQ(window->pages, (ByteRange{kMib, 3 * kMib}));
}

TEST(PageWindows, ThatAreLockedStayAsTheyAre) {
  PageWindows windows(kBytes);
  auto* const window = after(windows, {kMib, 2 * kMib}, kWindowTransfers);
  ASSERT_NE(window, nullptr);
  window->lock = std::make_shared<int>(1);
  EXPECT_EQ(after(windows, {kMib, 3 * kMib}, 3 * kWindowTransfers), nullptr);
  const auto* const still = windows.transferred({kMib, 2 * kMib});
  ASSERT_NE(still, nullptr);
  EXPECT_NE(still->lock, nullptr);
}

TEST(PageWindows, OfThoseThatAreNotLockedTheOneGoesThatWasNotUsedForLongest) {
  PageWindows windows(kBytes);
  const auto part = [](std::uint64_t i) { return ByteRange{2 * i * kMib, (2 * i + 1) * kMib}; };
  for (std::size_t i = 0; i < kMaxWindows; ++i) {
    auto* const window = after(windows, part(i), kWindowTransfers);
    ASSERT_NE(window, nullptr);
    if (i % 2 == 0) window->lock = std::make_shared<int>(1);
  }
  EXPECT_NE(windows.transferred(part(1)), nullptr);
  after(windows, part(100), 1);
  EXPECT_EQ(windows.transferred(part(3)), nullptr) << "which was behind the second in the row";
  for (std::size_t i = 0; i < kMaxWindows; i += 2) EXPECT_NE(windows.transferred(part(i)), nullptr) << i;
}

TEST(PageWindows, WhereAllAreLockedThereAreNoMore) {
  PageWindows windows(kBytes);
  for (std::size_t i = 0; i < kMaxWindows; ++i)
    after(windows, {2 * i * kMib, (2 * i + 1) * kMib}, kWindowTransfers)->lock = std::make_shared<int>(1);
  EXPECT_EQ(after(windows, {500 * kMib, 501 * kMib}, 3 * kWindowTransfers), nullptr);
}

TEST(PageWindows, LargePartsAreLeftAlone) {
  PageWindows windows(kBytes);
  EXPECT_EQ(after(windows, {0, kMaxWindow + 1}, 2 * kWindowTransfers), nullptr);
  EXPECT_NE(after(windows, {0, kMaxWindow}, kWindowTransfers), nullptr);
  EXPECT_EQ(windows.transferred({kMaxWindow - 1, kMaxWindow + kMib}), nullptr);
  EXPECT_NE(windows.transferred({0, kMaxWindow}), nullptr) << "they do not become one that is too large";
}

TEST(PageWindows, NoPageIsLockedTwice) {
  for (const unsigned seed : {11u, 12u, 13u, 14u}) {
    std::mt19937_64 random(seed);
    PageWindows windows(kBytes);
    std::vector<ByteRange> locked;
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t begin = random() % 40 * (kMib / 4) + random() % 3 * 100;
      auto* const window = windows.transferred({begin, begin + kMib / 4 + random() % 5000});
      if (window == nullptr || window->lock != nullptr) continue;
      for (const ByteRange& pages : locked)
        ASSERT_TRUE(window->pages.end <= pages.begin || pages.end <= window->pages.begin) << i;
      window->lock = std::make_shared<int>(i);
      locked.push_back(window->pages);
    }
    EXPECT_FALSE(locked.empty()) << seed;
  }
}

}  // namespace
}  // namespace skmd::icd::test
