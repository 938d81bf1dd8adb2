// SPDX-License-Identifier: Apache-2.0
// Buffers whose host memory is to be page-locked (CL_MEM_ALLOC_HOST_PTR): transfers from and to that memory go
// straight, whether it is the buffer's own or the application's side of another buffer's.
#include <sys/mman.h>

#include <cstring>
#include <thread>
#include <vector>

#include "intercept/machine/machine_constants.h"
#include "intercept/memory/bytes.h"
#include "tests/intercept/command/command_fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kMib = std::uint64_t{1} << 20, kBytes = 24 * kMib;

class LockedPages : public Commands {
 protected:
  LockedPages() {
    for (const auto& device : devices) device->locks_pages = true;
  }
  std::shared_ptr<Storage> lockable(std::uint64_t bytes = kBytes) {
    return *Storage::create(machine, bytes, nullptr, nullptr, true);
  }
  /// The application's pointer to a buffer that it has mapped, filled.
  std::byte* mapped(const std::shared_ptr<Storage>& root, std::uint8_t first) {
    std::byte* const host = *root->host();
    for (std::uint64_t i = 0; i < root->bytes(); ++i) host[i] = static_cast<std::byte>(first + i);
    return host;
  }
  std::uint64_t straight() { return devices[0]->counters.locked_transfers + devices[1]->counters.locked_transfers; }
  cl_int write(const std::shared_ptr<Storage>& to, std::uint64_t offset, std::byte* from, std::uint64_t bytes) {
    return run(make_write(to, RectRegion::linear(offset, bytes), {from, 0, 0}));
  }
};

TEST_F(LockedPages, AWriteOfAnySizeIsSubmittedWithoutACopy) {
  const auto pages = lockable();
  std::byte* const from = mapped(pages, 1);
  const auto root = storage(kBytes);
  root->usage().used_on(0);
  ASSERT_EQ(write(root, 0, from, kBytes), CL_COMPLETE) << "another thread has locked them";
  EXPECT_EQ(straight(), 1u);
  devices[0]->pause();
  const auto event =
      queue->enqueue(CL_COMMAND_WRITE_BUFFER, make_write(root, RectRegion::linear(0, kBytes), {from, 0, 0}), {});
  EXPECT_EQ(event->chained_on(), devices[0].get()) << "behind what is on the device's queue";
  EXPECT_FALSE(event->ended());
  devices[0]->resume();
  ASSERT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(straight(), 2u);
  EXPECT_EQ(devices[0]->counters.page_locks, 1u);
  const Bytes seen = read(root);
  EXPECT_EQ(std::memcmp(seen.data(), from, kBytes), 0);
}

TEST_F(LockedPages, APartOfThePagesIsEnough) {
  const auto pages = lockable();
  std::byte* const from = mapped(pages, 3);
  const auto root = storage(kBytes);
  root->usage().used_on(0);
  ASSERT_EQ(write(root, 4096, from + 12345, kBytes / 2), CL_COMPLETE);
  EXPECT_EQ(straight(), 1u);
  ASSERT_EQ(write(root, 0, from + kBytes - (1u << 20), 1u << 20), CL_COMPLETE) << "to their end";
  EXPECT_EQ(straight(), 2u);
  EXPECT_EQ(devices[0]->counters.page_locks, 1u) << "locked once";
  const Bytes seen = read(root, 1u << 20, 1u << 20);
  EXPECT_EQ(std::memcmp(seen.data(), from + 12345 + (1u << 20) - 4096, 1u << 20), 0);
}

TEST_F(LockedPages, AReadComesStraight) {
  const auto pages = lockable();
  std::byte* const to = mapped(pages, 0);
  const auto root = storage(kBytes);
  root->usage().used_on(1);
  written_on_device(root, 1, {0, kBytes}, 9);
  ASSERT_EQ(run(make_read(root, RectRegion::linear(0, kBytes), {to, 0, 0})), CL_COMPLETE);
  EXPECT_EQ(straight(), 1u);
  EXPECT_EQ(devices[1]->counters.packed_reads, 0u);
  EXPECT_EQ(to[0], std::byte{9});
  EXPECT_EQ(to[kBytes - 1], std::byte{9});
}

TEST_F(LockedPages, ResultsOfSeveralDevicesComeStraight) {
  for (const auto& device : devices) device->lend_pinned_pieces();
  const auto pages = lockable();
  std::byte* const to = mapped(pages, 0);
  const auto root = storage(kBytes);
  written_on_device(root, 0, {0, kBytes / 2}, 4);
  written_on_device(root, 1, {kBytes / 2, kBytes}, 5);
  ASSERT_EQ(run(make_read(root, RectRegion::linear(0, kBytes), {to, 0, 0})), CL_COMPLETE);
  EXPECT_EQ(straight(), 2u);
  EXPECT_EQ(devices[0]->counters.packed_reads + devices[1]->counters.packed_reads, 0u);
  EXPECT_EQ(to[kBytes / 2 - 1], std::byte{4});
  EXPECT_EQ(to[kBytes / 2], std::byte{5});
}

TEST_F(LockedPages, TheBuffersOwnBytesGoStraight) {
  const auto root = lockable();
  mapped(root, 7);
  root->host_written(domain::ByteRange{0, kBytes});
  ASSERT_TRUE(upload(*root, 0, domain::ByteRange{0, kBytes}));
  EXPECT_EQ(straight(), 1u);
  written_on_device(root, 0, {0, kBytes}, 8);
  ASSERT_TRUE(root->gather(domain::ByteRange{0, kBytes}, "map"));
  EXPECT_EQ(straight(), 2u);
  EXPECT_EQ((*root->host())[kBytes - 1], std::byte{8});
}

/// Bytes go from device 0 to the host copy and from there to device 1, as what two slices exchange does.
class Exchanged : public LockedPages {
 protected:
  void exchange(const domain::ByteRange& range, std::uint8_t first) {
    written_on_device(root, 0, range, first);
    ASSERT_TRUE(root->gather(range, "exchange"));
    ASSERT_TRUE(upload(*root, 1, range));
    EXPECT_EQ((*root->host())[range.begin], std::byte{first});
  }
  std::uint64_t locks() { return devices[0]->counters.page_locks + devices[1]->counters.page_locks; }
  const domain::ByteRange border{3 * kMib, 4 * kMib};
  const std::shared_ptr<Storage> root = storage(kBytes);
};

TEST_F(Exchanged, BytesThatGoThroughTheHostAgainAndAgainGoStraight) {
  for (unsigned step = 1; step < tuning::kWindowTransfers; ++step) exchange(border, 7);
  EXPECT_EQ(straight(), 0u);
  EXPECT_EQ(locks(), 0u);
  for (unsigned step = 0; step < 3; ++step) exchange(border, static_cast<std::uint8_t>(20 + step));
  EXPECT_EQ(straight(), 6u) << "from one device, and to the other";
  EXPECT_EQ(locks(), 2u) << "once for each";
  const Bytes seen = read(root, border.begin, border.size());
  EXPECT_EQ(seen.front(), 22);
  EXPECT_EQ(devices[0]->locked + devices[1]->locked, 2);
}

TEST_F(Exchanged, LocksGoWithTheBuffer) {
  {
    const auto other = storage(kBytes);
    for (unsigned step = 0; step < tuning::kWindowTransfers; ++step) {
      written_on_device(other, 0, border, 5);
      ASSERT_TRUE(other->gather(border, "exchange"));
    }
    EXPECT_EQ(devices[0]->locked, 1);
  }
  EXPECT_EQ(devices[0]->locked, 0);
}

TEST_F(Exchanged, FewBytesOrScatteredOnesDoNot) {
  const domain::ByteRange few{kMib, kMib + tuning::kLeastWindow - 1};
  domain::RangeSet scattered(domain::ByteRange{8 * kMib, 8 * kMib + tuning::kLeastWindow});
  scattered.add(domain::ByteRange{10 * kMib, 10 * kMib + tuning::kLeastWindow});
  for (unsigned step = 0; step < 2 * tuning::kWindowTransfers; ++step) {
    exchange(few, 1);
    for (const auto& range : scattered.ranges()) written_on_device(root, 0, range, 2);
    ASSERT_TRUE(root->gather(scattered, "exchange"));
  }
  EXPECT_EQ(locks(), 0u);
}

TEST_F(Exchanged, WhereTheDriverDoesNotLockNothingIsAskedAgain) {
  for (const auto& device : devices) device->locks_pages = false;
  for (unsigned step = 0; step < 3 * tuning::kWindowTransfers; ++step)
    exchange(border, static_cast<std::uint8_t>(step));
  EXPECT_EQ(straight(), 0u);
  EXPECT_EQ(locks(), 2u) << "each was asked once";
}

TEST_F(LockedPages, AProcessLocksSoManyBytesOfWindows) {
  std::vector<std::shared_ptr<HostPages>> all;
  const auto locked = [&](const std::shared_ptr<HostPages>& pages) {
    std::shared_ptr<const void> last;
    for (unsigned i = 0; i < tuning::kWindowTransfers; ++i)
      last = machine.pages.locked(0, pages->host(), tuning::kMaxWindow, tuning::kMaxWindow);
    return last != nullptr;
  };
  const auto made = [&] {
    return HostPages::create(machine.pages, machine.devices, tuning::kMaxWindow, HostPages::Locks::windows);
  };
  for (std::uint64_t bytes = 0; bytes < tuning::kMaxAllWindows; bytes += tuning::kMaxWindow) {
    all.push_back(made());
    ASSERT_TRUE(locked(all.back())) << bytes;
  }
  const auto more = made();
  EXPECT_FALSE(locked(more));
  all.pop_back();
  EXPECT_TRUE(locked(more)) << "what others gave back";
}

TEST_F(LockedPages, OtherMemoryGoesAsEver) {
  const auto pages = lockable();
  std::byte* const from = mapped(pages, 1);
  const auto root = storage(kBytes);
  root->usage().used_on(0);
  Bytes own = counting(1u << 20);
  ASSERT_EQ(Commands::write(root, 0, own), CL_COMPLETE);
  EXPECT_EQ(straight(), 0u);
  EXPECT_EQ(devices[0]->counters.page_locks, 0u) << "nothing is locked that no transfer uses";
  EXPECT_EQ(machine.pages.locked(0, from, kBytes + 1, kBytes + 1), nullptr) << "beyond the end";
  EXPECT_EQ(machine.pages.locked(0, from - 1, 2, 2), nullptr) << "before the begin";
  EXPECT_NE(machine.pages.locked(0, from, kBytes, kBytes), nullptr);
  EXPECT_NE(machine.pages.locked(0, from + kBytes, 0, 0), nullptr) << "no byte, at the end";
}

TEST_F(LockedPages, FewTransferredBytesLockNone) {
  const auto pages = lockable();
  std::byte* const from = mapped(pages, 1);
  const auto root = storage(kBytes);
  root->usage().used_on(0);
  constexpr std::uint64_t kSome = kBytes / 16 + 64;
  ASSERT_EQ(write(root, 0, from, kSome), CL_COMPLETE);
  EXPECT_EQ(devices[0]->counters.page_locks, 0u);
  EXPECT_EQ(straight(), 0u);
  ASSERT_EQ(write(root, 0, from + kSome, kSome), CL_COMPLETE);
  EXPECT_EQ(devices[0]->counters.page_locks, 1u) << "an eighth in sum";
  EXPECT_EQ(straight(), 1u);
  ASSERT_EQ(write(root, 0, from, kBytes / 128), CL_COMPLETE);
  EXPECT_EQ(straight(), 2u) << "then transfers of any size";
}

TEST_F(LockedPages, ADeviceThatLocksNoneIsAskedOnce) {
  devices[0]->locks_pages = false;
  const auto pages = lockable();
  std::byte* const from = mapped(pages, 1);
  const auto root = storage(kBytes);
  root->usage().used_on(0);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(write(root, 0, from, 8u << 20), CL_COMPLETE);
  EXPECT_EQ(straight(), 0u);
  EXPECT_EQ(devices[0]->counters.page_locks, 1u);
  EXPECT_NE(machine.pages.locked(1, from, kBytes, kBytes), nullptr) << "the other one locks";
}

TEST_F(LockedPages, LocksEndBeforeTheMemoryAndLastAsLongAsATransfer) {
  auto pages = lockable();
  std::byte* const from = mapped(pages, 1);
  auto in_use = machine.pages.locked(0, from, kBytes, kBytes);
  ASSERT_NE(in_use, nullptr);
  EXPECT_EQ(devices[0]->locked, 1);
  pages.reset();
  EXPECT_EQ(devices[0]->locked, 1) << "a transfer that is under way";
  EXPECT_EQ(from[1], std::byte{2});
  in_use.reset();
  EXPECT_EQ(devices[0]->locked, 0);
  EXPECT_EQ(machine.pages.locked(0, from, 1, 1), nullptr);
}

TEST_F(LockedPages, ThreadsFindThemWhileOthersGo) {
  const auto kept = lockable(1u << 20);
  std::byte* const from = mapped(kept, 1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto mine = lockable(8192);
        std::byte* const host = *mine->host();
        EXPECT_NE(machine.pages.locked(static_cast<std::uint32_t>(i) % 2, host + 4096, 4096, 4096), nullptr);
        EXPECT_NE(machine.pages.locked(0, from, 1u << 20, 1u << 20), nullptr);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(devices[0]->locked + devices[1]->locked, 1) << "the memory that is left";
}

}  // namespace
}  // namespace skmd::icd::test
