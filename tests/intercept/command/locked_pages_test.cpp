// SPDX-License-Identifier: Apache-2.0
// Buffers whose host memory is to be page-locked (CL_MEM_ALLOC_HOST_PTR): transfers from and to that memory go
// straight, whether it is the buffer's own or the application's side of another buffer's.
#include <sys/mman.h>

#include <cstring>
#include <thread>
#include <vector>

#include "intercept/memory/bytes.h"
#include "tests/intercept/command/command_fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{24} << 20;

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
