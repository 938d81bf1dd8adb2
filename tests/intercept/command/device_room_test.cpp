// SPDX-License-Identifier: Apache-2.0
// Transfers to devices that have room for little.
#include <gtest/gtest.h>

#include <thread>

#include "intercept/memory/range_lock.h"
#include "tests/intercept/command/command_fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

class DeviceRoom : public Commands {
 protected:
  void has_room_for(std::uint64_t bytes) { machine.settings.device_memory = bytes; }
  DeviceMemory::Held hold(const std::shared_ptr<Storage>& root) { return machine.memory.hold(0, *root); }
  static bool there(const std::shared_ptr<Storage>& root) { return root->last_use(0) != 0; }
};

TEST_F(DeviceRoom, ALargeWriteMovesOutWhatWasThere) {
  has_room_for(3 * kMiB);
  const auto old = storage(2 * kMiB), next = storage(2 * kMiB);
  written_on_device(old, 0, {0, old->bytes()}, 7);
  next->usage().used_on(0);
  const Bytes bytes = counting(2 * kMiB);
  EXPECT_EQ(write(next, 0, bytes), CL_COMPLETE);
  EXPECT_EQ(devices[0]->counters.bytes_to, next->bytes()) << "not by way of host memory";
  EXPECT_FALSE(there(old));
  EXPECT_EQ(read(old), Bytes(2 * kMiB, 7));
  EXPECT_EQ(read(next), bytes);
}

TEST_F(DeviceRoom, AWriteThatFindsNoRoomStaysInHostMemory) {
  has_room_for(3 * kMiB);
  const auto old = storage(2 * kMiB), next = storage(2 * kMiB);
  written_on_device(old, 0, {0, old->bytes()}, 7);
  next->usage().used_on(0);
  const Bytes bytes = counting(2 * kMiB);
  {
    const RangeLock in_use = RangeLock::take({claim_on(old, domain::ByteRange{5, 6}, false)});
    EXPECT_EQ(write(next, 0, bytes), CL_COMPLETE);
  }
  EXPECT_TRUE(there(old));
  EXPECT_EQ(read(next), bytes);
}

TEST_F(DeviceRoom, ACopyStaysOnTheDeviceAndMovesOutWhatElseWasThere) {
  const RectRegion rows{0, 1024, 16, 1, 2048, 2048 * 16};
  has_room_for(5 * kMiB);
  for (const RectRegion& region : {RectRegion::linear(0, 2 * kMiB), rows}) {
    const auto old = storage(2 * kMiB), from = storage(2 * kMiB), to = storage(2 * kMiB);
    written_on_device(old, 0, {0, old->bytes()}, 7);
    written_on_device(from, 0, {0, from->bytes()}, 9);
    EXPECT_EQ(run(make_copy(from, region, to, region)), CL_COMPLETE);
    EXPECT_TRUE(there(to));
    EXPECT_FALSE(there(old));
    EXPECT_EQ(gathered(), old->bytes()) << "the copy went by host memory";
    EXPECT_EQ(read(to, 2048, 1024), Bytes(1024, 9));
    EXPECT_EQ(read(old), Bytes(2 * kMiB, 7));
    devices[0]->counters.bytes_from = 0;
  }
}

TEST_F(DeviceRoom, ACopyThatFindsNoRoomGoesByHostMemory) {
  has_room_for(3 * kMiB);
  const auto from = storage(2 * kMiB), to = storage(2 * kMiB);
  written_on_device(from, 0, {0, from->bytes()}, 9);
  EXPECT_EQ(run(make_copy(from, RectRegion::linear(0, from->bytes()), to, RectRegion::linear(0, to->bytes()))),
            CL_COMPLETE);
  EXPECT_EQ(read(to), Bytes(2 * kMiB, 9));
  const RectRegion rows{0, 1024, 16, 1, 2048, 2048 * 16};
  written_on_device(from, 0, {0, from->bytes()}, 11);
  EXPECT_EQ(run(make_copy(from, rows, to, rows)), CL_COMPLETE);
  EXPECT_EQ(read(to, 2048, 1024), Bytes(1024, 11));
}

TEST_F(DeviceRoom, AWaitingCommandDoesNotKeepARootFromBeingMovedOut) {
  has_room_for(100);
  const auto old = storage(60), next = storage(60), other = storage(60);
  written_on_device(old, 0, {0, 60}, 3);
  // A claim waits for two roots, one of which is in use.
  RangeLock used = RangeLock::take({claim_on(other, domain::ByteRange{0, 60}, true)});
  bool granted = false;
  RangeLock::request({claim_on(old, domain::ByteRange{0, 60}, true), claim_on(other, domain::ByteRange{0, 60}, true)},
                     [&](RangeLock) { granted = true; });
  EXPECT_EQ(hold(next), DeviceMemory::Held::all);
  EXPECT_FALSE(there(old));
  EXPECT_FALSE(granted);
  used.release();
  EXPECT_TRUE(granted);
  EXPECT_EQ(read(old), Bytes(60, 3));
}

TEST_F(DeviceRoom, WhatTheApplicationHasMappedForWritingIsNotOverwritten) {
  has_room_for(100);
  const auto old = storage(60), next = storage(60);
  written_on_device(old, 0, {0, 60}, 3);
  old->mapped_for_writing(domain::ByteRange{10, 20});
  EXPECT_EQ(hold(next), DeviceMemory::Held::busy);
  old->unmapped(domain::ByteRange{10, 20});
  EXPECT_EQ(hold(next), DeviceMemory::Held::all);
}

TEST_F(DeviceRoom, DestructorCallbacksComeAfterTheLastByteWasMovedOut) {
  static std::atomic<bool> told;
  told = false;
  has_room_for(100);
  Bytes lent(60);
  Ref<Memory> old = buffer(60, reinterpret_cast<std::byte*>(lent.data()));
  const auto next = storage(60);
  written_on_device(old->storage(), 0, {0, 60}, 3);
  old->add_destructor(
      +[](cl_mem, void*) { told = true; }, nullptr);
  devices[0]->on_execute = [&] {
    old = {};
    std::atomic<bool> reached{false};
    executor.post_callback([&] { reached = true; });
    while (!reached) std::this_thread::yield();
    EXPECT_FALSE(told);
  };
  EXPECT_EQ(hold(next), DeviceMemory::Held::all);
  devices[0]->on_execute = nullptr;
  EXPECT_EQ(lent, Bytes(60, 3));
  while (!told) std::this_thread::yield();
}

TEST_F(DeviceRoom, WhatIsGivenBackIsRoomForOthers) {
  has_room_for(100);
  auto old = storage(60);
  const auto next = storage(60);
  auto native = *old->native(0);
  EXPECT_EQ(hold(next), DeviceMemory::Held::busy) << "a command holds its range";
  old.reset();
  EXPECT_EQ(hold(next), DeviceMemory::Held::busy) << "still";
  native.reset();
  EXPECT_EQ(hold(next), DeviceMemory::Held::all);
}

TEST_F(DeviceRoom, WithoutALimitThereIsRoomForAll) {
  std::vector<std::shared_ptr<Storage>> roots;
  for (int i = 0; i < 10; ++i) roots.push_back(storage(kMiB));
  for (const auto& root : roots) EXPECT_EQ(hold(root), DeviceMemory::Held::all);
  for (const auto& root : roots) EXPECT_TRUE(there(root));
  EXPECT_EQ(machine.memory.limit(0), DeviceMemory::kNoLimit);
}

}  // namespace
}  // namespace skmd::icd::test
