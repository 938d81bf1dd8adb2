// SPDX-License-Identifier: Apache-2.0
// Bytes that go from one device to another again and again: past the host copy, through page-locked memory of their
// own.
#include <cstring>
#include <optional>
#include <vector>

#include "intercept/memory/exchange_blocks.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/memory/mover.h"
#include "tests/intercept/command/command_fixture.h"

namespace skmd::icd::test {
namespace {

using namespace tuning;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20, kBytes = 24 * kMib;

class Exchanged : public Commands {
 protected:
  Exchanged() {
    for (const auto& device : devices) device->locks_pages = true;
  }
  /// Device 0 writes the ranges, and a launch on device 1 needs them; `also_here`: and so does the host.
  Status exchange(const domain::RangeSet& ranges, std::uint8_t value, bool also_here = false) {
    for (const domain::ByteRange& range : ranges.ranges()) written_on_device(root, 0, range, value);
    const MoveGuard guard({root.get()});
    auto plan = MovePlan::gathered(
        machine,
        [&] {
          MoveNeeds needs{{root.get(), 1, ranges}};
          if (also_here) needs.push_back({root.get(), MoveNeed::kHost, ranges});
          return needs;
        },
        "exchange");
    if (!plan) return plan.error();
    auto ops = plan->upload_ops(1);
    if (!ops) return ops.error();
    Batch batch;
    batch.ops = std::move(*ops);
    BatchGroup group;
    group.submit(*devices[1], std::move(batch));
    const Status status = group.wait();
    if (status) plan->commit_uploads();
    return status;
  }
  /// What device 1 has.
  Bytes seen(const domain::ByteRange& range) {
    {
      const MutexGuard lock(root->mutex());
      for (const domain::SpaceId space : {domain::kHostSpace, devices[0]->description().space})
        root->residency().withdrawn(space, range);
    }
    return read(root, range.begin, range.size());
  }
  bool is_here(const domain::ByteRange& range) { return root->holds(domain::kHostSpace, range); }
  std::uint64_t straight() { return devices[0]->counters.locked_transfers + devices[1]->counters.locked_transfers; }
  std::uint64_t locks() { return devices[0]->counters.page_locks + devices[1]->counters.page_locks; }

  const domain::ByteRange border{3 * kMib + 12, 4 * kMib + 40};
  std::shared_ptr<Storage> root = storage(kBytes);
};

TEST_F(Exchanged, GoStraightAfterSomeTimes) {
  for (unsigned step = 1; step < kExchanges; ++step) ASSERT_TRUE(exchange(border, 7));
  EXPECT_EQ(straight(), 0u);
  EXPECT_EQ(locks(), 0u);
  EXPECT_TRUE(is_here(border));
  for (unsigned step = 0; step < 3; ++step) {
    ASSERT_TRUE(exchange(border, static_cast<std::uint8_t>(20 + step)));
    EXPECT_FALSE(is_here(border)) << "the host copy was not written";
  }
  EXPECT_EQ(straight(), 6u) << "from one device, and to the other";
  EXPECT_EQ(locks(), 2u) << "once for each";
  EXPECT_EQ(seen(border), Bytes(border.size(), 22));
}

TEST_F(Exchanged, EachExchangeBringsWhatIsThereNow) {
  for (unsigned step = 0; step < 3 * kExchanges; ++step) {
    const auto value = static_cast<std::uint8_t>(step);
    ASSERT_TRUE(exchange(border, value));
    EXPECT_EQ(seen(border), Bytes(border.size(), value)) << step;
  }
}

TEST_F(Exchanged, WhatTheHostNeedsTooGoesByWayOfItsCopy) {
  for (unsigned step = 0; step < 2 * kExchanges; ++step) ASSERT_TRUE(exchange(border, 3, true));
  EXPECT_TRUE(is_here(border));
  EXPECT_EQ(locks(), 0u);
}

TEST_F(Exchanged, WhatIsInTheHostsMemoryAlreadyComesFromThere) {
  for (unsigned step = 0; step < kExchanges; ++step) ASSERT_TRUE(exchange(border, 5));
  const domain::ByteRange behind{border.end, border.end + kMib};
  const Bytes own = counting(kMib, 9);
  std::memcpy(*root->host() + behind.begin, own.data(), kMib);
  root->host_written(behind);
  written_on_device(root, 0, border, 6);
  domain::RangeSet both(border);
  both.add(behind);
  std::optional<MoveGuard> guard(std::in_place, std::vector<Storage*>{root.get()});
  auto plan = MovePlan::gathered(
      machine,
      [&] {
        return MoveNeeds{{root.get(), 1, both}};
      },
      "exchange");
  ASSERT_TRUE(plan);
  auto ops = plan->upload_ops(1);
  ASSERT_TRUE(ops);
  EXPECT_EQ(ops->size(), 2u);
  Batch batch;
  batch.ops = std::move(*ops);
  BatchGroup group;
  group.submit(*devices[1], std::move(batch));
  ASSERT_TRUE(group.wait());
  plan->commit_uploads();
  guard.reset();
  EXPECT_EQ(seen(border), Bytes(border.size(), 6));
  EXPECT_EQ(seen(behind), own);
}

TEST_F(Exchanged, FewBytesOrScatteredOnesGoByWayOfTheHostCopy) {
  const domain::ByteRange few{kMib, kMib + kLeastExchanged - 1};
  domain::RangeSet scattered(domain::ByteRange{8 * kMib, 8 * kMib + kLeastExchanged});
  scattered.add(domain::ByteRange{10 * kMib, 10 * kMib + kLeastExchanged});
  for (unsigned step = 0; step < 2 * kExchanges; ++step) {
    ASSERT_TRUE(exchange(few, 1));
    ASSERT_TRUE(exchange(scattered, 2));
  }
  EXPECT_EQ(locks(), 0u);
}

TEST_F(Exchanged, WhereTheDriverDoesNotLockTheyGoByWayOfTheHostCopy) {
  for (const auto& device : devices) device->locks_pages = false;
  for (unsigned step = 0; step < 3 * kExchanges; ++step) ASSERT_TRUE(exchange(border, static_cast<std::uint8_t>(step)));
  EXPECT_EQ(straight(), 0u);
  EXPECT_TRUE(is_here(border));
}

TEST_F(Exchanged, LocksGoWithTheBuffer) {
  for (unsigned step = 0; step < kExchanges; ++step) ASSERT_TRUE(exchange(border, 5));
  EXPECT_EQ(devices[0]->locked + devices[1]->locked, 2);
  root.reset();
  EXPECT_EQ(devices[0]->locked + devices[1]->locked, 0);
}

TEST_F(Exchanged, AnUploadThatFailsLeavesTheBytesWhereTheyWere) {
  for (unsigned step = 0; step < kExchanges; ++step) ASSERT_TRUE(exchange(border, 5));
  devices[1]->fail_writes = 1;
  EXPECT_FALSE(exchange(border, 8));
  EXPECT_EQ(read(root, border.begin, border.size()), Bytes(border.size(), 8));
}

TEST_F(Exchanged, AProcessHasSoManyBytesOfBlocks) {
  std::vector<std::shared_ptr<HostPages>> all;
  const auto block = [&](std::uint64_t first) {
    const domain::RangeSet part(domain::ByteRange{first, first + kMaxExchanged});
    const auto large = storage(2 * kMaxExchanged);  // whose host copy and native objects are never made
    std::shared_ptr<HostPages> last;
    for (unsigned i = 0; i < kExchanges; ++i) last = large->exchange_block(0, part);
    return last;
  };
  for (std::uint64_t bytes = 0; bytes < kMaxAllExchanged; bytes += kMaxExchanged) {
    all.push_back(block(4096 * all.size()));
    ASSERT_NE(all.back(), nullptr) << bytes;
  }
  EXPECT_EQ(block(0), nullptr);
  all.pop_back();
  EXPECT_NE(block(0), nullptr) << "what others gave back";
}

/// Made of no memory at all.
std::shared_ptr<HostPages> none(std::uint64_t) { return nullptr; }

TEST(ExchangeBlocks, TheOneThatWasNotAskedForForLongestGoes) {
  ExchangeBlocks blocks;
  std::vector<std::uint64_t> made;
  const auto ask = [&](std::uint64_t i) {
    const domain::RangeSet part(domain::ByteRange{i * kMib, i * kMib + kLeastExchanged + i});
    const std::size_t before = made.size();
    for (unsigned times = 0; times < kExchanges; ++times)
      (void)blocks.of(part, [&](std::uint64_t bytes) {
        made.push_back(bytes);
        return none(bytes);
      });
    return made.size() > before;
  };
  for (std::uint64_t i = 0; i < kMaxExchangeBlocks; ++i) EXPECT_TRUE(ask(i));
  EXPECT_EQ(made.back(), kLeastExchanged + kMaxExchangeBlocks - 1) << "of the part's size";
  EXPECT_FALSE(ask(0)) << "what was refused once is not asked for again";
  EXPECT_TRUE(ask(kMaxExchangeBlocks));
  EXPECT_FALSE(ask(0));
  EXPECT_TRUE(ask(1)) << "it was forgotten";
}

}  // namespace
}  // namespace skmd::icd::test
