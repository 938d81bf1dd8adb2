// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "intercept/memory/range_lock.h"
#include "partitioner/base/mutex.h"
#include "tests/intercept/command/command_fixture.h"

namespace skmd::icd::test {
namespace {

using Transfers = Commands;

TEST_F(Transfers, BytesNeverWrittenReadAsZero) { EXPECT_EQ(read(storage(64)), Bytes(64, 0)); }

TEST_F(Transfers, AReadGathersOnlyWhatIsMissingAndOnlyOnce) {
  auto root = storage(256);
  write(root, 0, Bytes(256, 1));
  written_on_device(root, 0, {64, 128}, 2);
  written_on_device(root, 1, {128, 192}, 3);
  Bytes expected(256, 1);
  std::fill_n(expected.begin() + 64, 64, 2);
  std::fill_n(expected.begin() + 128, 64, 3);
  EXPECT_EQ(read(root, 100, 100), Bytes(expected.begin() + 100, expected.begin() + 200));
  EXPECT_EQ(gathered(), 28u + 64u);
  EXPECT_EQ(read(root), expected);
  EXPECT_EQ(read(root), expected);
  EXPECT_EQ(gathered(), 128u);
}

TEST_F(Transfers, AWriteToPartOfADeviceRangeChangesExactlyItsBytesAndFetchesNothing) {
  auto root = storage(128);
  written_on_device(root, 0, {0, 128}, 7);
  write(root, 10, Bytes(5, 9));
  EXPECT_EQ(gathered(), 0u);
  Bytes expected(128, 7);
  std::fill_n(expected.begin() + 10, 5, 9);
  EXPECT_EQ(read(root), expected);
}

TEST_F(Transfers, TheSourceOfANonBlockingWriteIsReadWhenItRuns) {
  auto root = storage(16);
  Bytes source(16, 1);
  const auto gate = make_object<Event>(context, nullptr, CL_COMMAND_USER, executor);
  const auto event =
      queue->enqueue(CL_COMMAND_WRITE_BUFFER, make_write(root, RectRegion::linear(0, 16), box(source)), {gate});
  std::fill(source.begin(), source.end(), 5);
  gate->complete(CL_COMPLETE);
  event->wait();
  EXPECT_EQ(read(root), Bytes(16, 5));
}

TEST_F(Transfers, LargeTransfersArriveWholeToo) {
  auto root = storage(1 << 20);
  Bytes source(1 << 20);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint8_t>(i * 2654435761u >> 24);
  EXPECT_EQ(write(root, 0, source), CL_COMPLETE);
  written_on_device(root, 1, {1000, 1000000}, 4);
  std::fill(source.begin() + 1000, source.begin() + 1000000, std::uint8_t{4});
  EXPECT_EQ(read(root), source);
}

/// Tells when a thread has been asked to run it.
class Claiming : public Command {
 public:
  explicit Claiming(std::vector<Claim> claims) : claims_(std::move(claims)) {}
  [[nodiscard]] std::vector<Claim> claims() const override { return claims_; }
  cl_int run(Event&) override {
    ran = true;
    return CL_COMPLETE;
  }
  std::atomic<bool> ran{false};

 private:
  std::vector<Claim> claims_;
};

TEST_F(Transfers, NoThreadIsAskedBeforeTheRangesAreFree) {
  auto root = storage(1 << 20);
  Bytes target(1 << 20);
  const auto large_read = make_read(root, RectRegion::linear(0, 1 << 20), box(target));
  ASSERT_EQ(large_read->claims().size(), 1u);
  EXPECT_EQ(large_read->claims()[0].ranges->bytes(), 1u << 20);
  const auto claiming = std::make_shared<Claiming>(large_read->claims());
  std::optional<RangeLock> held = RangeLock::take({claim_on(root, domain::ByteRange{0, 4}, true)});
  const auto event = queue->enqueue(CL_COMMAND_READ_BUFFER, claiming, {});
  // Runs behind everything that was handed to the executor by now.
  std::promise<void> reached;
  executor.post([&] { reached.set_value(); });
  reached.get_future().wait();
  EXPECT_FALSE(claiming->ran);
  held.reset();
  EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_TRUE(claiming->ran);
  // Given back with the event's end.
  EXPECT_TRUE(RangeLock::try_take(large_read->claims(), nullptr));
}

TEST_F(Transfers, ACopyInsideABufferThatIsStartedByADevicesThreadWaitsForNoBatchBehindIt) {
  auto root = storage(256);
  write(root, 0, counting(128));
  written_on_device(root, 0, {128, 256}, 7);
  devices[0]->pause();
  // Ends on the device's own thread, and the copy starts there.
  const auto first = make_object<Event>(context, queue, CL_COMMAND_NDRANGE_KERNEL, executor);
  Batch batch;
  batch.done = [first](BatchResult&&) { first->complete(CL_COMPLETE); };
  devices[0]->submit(std::move(batch));
  const auto copy = queue->enqueue(
      CL_COMMAND_COPY_BUFFER, make_copy(root, RectRegion::linear(0, 32), root, RectRegion::linear(64, 32)), {first});
  // Fetches another range of the same buffer from behind that batch.
  devices[0]->on_submit = [this] { devices[0]->resume(); };
  const auto other =
      make_object<Queue>(context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{}, executor);
  Bytes fetched(128);
  const auto fetch =
      other->enqueue(CL_COMMAND_READ_BUFFER, make_read(root, RectRegion::linear(128, 128), box(fetched)), {});
  EXPECT_EQ(copy->wait(), CL_COMPLETE);
  EXPECT_EQ(fetch->wait(), CL_COMPLETE);
  devices[0]->on_submit = nullptr;
  EXPECT_EQ(fetched, Bytes(128, 7));
  EXPECT_EQ(read(root, 64, 32), counting(32));
}

TEST_F(Transfers, AReadThatFailsHalfWayLeavesNoDeviceWritingHostMemory) {
  auto root = storage(256);
  written_on_device(root, 0, {0, 128}, 1);
  devices[0]->pause();
  // The second device's copy does not exist: there is no native buffer, and none can be made.
  {
    const MutexGuard lock(root->mutex());
    root->residency().written(2, domain::ByteRange{128, 256});
  }
  devices[1]->fail_allocations = 1;
  devices[0]->on_help = [this] { devices[0]->resume(); };
  Bytes bytes(256);
  EXPECT_EQ(run(make_read(root, RectRegion::linear(0, 256), box(bytes))), CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(devices[0]->counters.bytes_from, 128u);  // has ended, not: is still to come
}

TEST_F(Transfers, RectanglesKeepBothPitches) {
  auto root = storage(64);  // 8 × 8
  Bytes host = counting(48);
  const RectRegion region{9, 3, 2, 2, 8, 32};
  EXPECT_EQ(run(make_write(root, region, box(host, 6, 24))), CL_COMPLETE);
  const Bytes all = read(root);
  Bytes expected(64, 0);
  for (std::size_t slice = 0; slice < 2; ++slice)
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t x = 0; x < 3; ++x)
        expected[9 + 32 * slice + 8 * row + x] = static_cast<std::uint8_t>(24 * slice + 6 * row + x);
  EXPECT_EQ(all, expected);
  Bytes back(48, 0xEE);
  EXPECT_EQ(run(make_read(root, region, box(back, 6, 24))), CL_COMPLETE);
  EXPECT_EQ(back[25], expected[42]);
  EXPECT_EQ(back[4], 0xEE);  // between the rows
}

TEST_F(Transfers, ACopyOfASplitRangeStaysWhereItsPiecesAre) {
  auto from = storage(1 << 18);
  auto to = storage(1 << 18);
  const std::uint64_t half = 1 << 17;
  written_on_device(from, 0, {0, half}, 1);
  written_on_device(from, 1, {half, 2 * half}, 2);
  EXPECT_EQ(run(make_copy(from, RectRegion::linear(0, 2 * half), to, RectRegion::linear(0, 2 * half))), CL_COMPLETE);
  EXPECT_EQ(gathered(), 0u);
  Bytes expected(2 * half, 1);
  std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(half), half, 2);
  EXPECT_EQ(read(to), expected);
}

TEST_F(Transfers, AnOverlappingCopyInsideOneRootIsAMove) {
  auto root = storage(64);
  write(root, 0, counting(64));
  EXPECT_EQ(run(make_copy(root, RectRegion::linear(0, 32), root, RectRegion::linear(8, 32))), CL_COMPLETE);
  Bytes expected = counting(64);
  for (std::size_t i = 0; i < 32; ++i) expected[8 + i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(read(root), expected);
}

TEST_F(Transfers, AnOverlappingRectangleCopyInsideOneRootReadsTheOldBytes) {
  auto root = storage(64);
  write(root, 0, counting(64));
  const RectRegion source{0, 4, 4, 1, 8, 64};
  const RectRegion target{9, 4, 4, 1, 8, 64};
  EXPECT_EQ(run(make_copy(root, source, root, target)), CL_COMPLETE);
  Bytes expected = counting(64);
  for (std::size_t row = 0; row < 4; ++row)
    for (std::size_t x = 0; x < 4; ++x) expected[9 + 8 * row + x] = static_cast<std::uint8_t>(8 * row + x);
  EXPECT_EQ(read(root), expected);
}

TEST_F(Transfers, AFillRepeatsItsPattern) {
  auto root = storage(64);
  written_on_device(root, 0, {0, 64}, 9);
  EXPECT_EQ(run(make_fill(root, RectRegion::linear(4, 12), {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}})),
            CL_COMPLETE);
  Bytes expected(64, 9);
  for (std::size_t i = 0; i < 12; ++i) expected[4 + i] = static_cast<std::uint8_t>(1 + i % 4);
  EXPECT_EQ(read(root), expected);
}

/// Bytes that crossed a link, in either direction.
#define EXPECT_MOVED(bytes) \
  EXPECT_EQ(devices[0]->counters.bytes_to + devices[1]->counters.bytes_to + gathered(), std::uint64_t{bytes})

TEST_F(Transfers, ALargeFillHappensWhereTheBytesAre) {
  constexpr std::uint64_t kSize = 1 << 18;
  auto root = storage(kSize);
  written_on_device(root, 0, {0, kSize / 2}, 1);
  written_on_device(root, 1, {kSize / 2, kSize}, 2);
  const std::vector<std::byte> pattern{std::byte{7}, std::byte{8}};
  EXPECT_EQ(run(make_fill(root, RectRegion::linear(0, kSize), pattern)), CL_COMPLETE);
  EXPECT_MOVED(0);
  Bytes expected(kSize);
  for (std::size_t i = 0; i < kSize; ++i) expected[i] = i % 2 == 0 ? 7 : 8;
  EXPECT_EQ(read(root), expected);
  EXPECT_MOVED(kSize);  // the read alone
}

TEST_F(Transfers, ALargeFillKeepsEveryCopyAndMakesTheHostsStale) {
  constexpr std::uint64_t kSize = 1 << 18;
  auto root = storage(kSize);
  write(root, 0, Bytes(kSize, 1));
  for (std::uint32_t device : {0u, 1u}) {
    const RangeLock lock = RangeLock::take({claim_on(root, domain::ByteRange{0, kSize}, false)});
    ASSERT_TRUE(upload(*root, device, domain::ByteRange{0, kSize}));
  }
  EXPECT_MOVED(2 * kSize);
  EXPECT_EQ(run(make_fill(root, RectRegion::linear(0, kSize), {std::byte{9}})), CL_COMPLETE);
  EXPECT_MOVED(2 * kSize);
  {
    const MutexGuard lock(root->mutex());
    const auto& pieces = root->residency().pieces();
    ASSERT_EQ(pieces.size(), 1u);
    EXPECT_EQ(pieces[0].valid, domain::SpaceMask{6}) << "both devices, not the host";
  }
  EXPECT_EQ(read(root), Bytes(kSize, 9));
}

TEST_F(Transfers, ALargeFillOfBytesThatNobodyWroteSendsNothingToAnyDevice) {
  constexpr std::uint64_t kSize = 1 << 18;
  auto root = storage(kSize);
  EXPECT_EQ(run(make_fill(root, RectRegion::linear(0, kSize), {std::byte{3}})), CL_COMPLETE);
  for (std::uint32_t device : {0u, 1u}) {
    const RangeLock lock = RangeLock::take({claim_on(root, domain::ByteRange{0, kSize}, false)});
    ASSERT_TRUE(upload(*root, device, domain::ByteRange{0, kSize}));
  }
  EXPECT_MOVED(0);
  EXPECT_EQ(read(root), Bytes(kSize, 3));
}

TEST_F(Transfers, PiecesThatBreakAPatternAreFilledInPhase) {
  constexpr std::uint64_t kSize = 1 << 18;
  auto root = storage(kSize);
  written_on_device(root, 0, {0, 100001}, 1);
  written_on_device(root, 1, {100001, 200002}, 1);
  write(root, 200002, Bytes(kSize - 200002, 1));
  std::vector<std::byte> pattern(4);
  for (std::size_t i = 0; i < 4; ++i) pattern[i] = static_cast<std::byte>(i + 1);
  EXPECT_EQ(run(make_fill(root, RectRegion::linear(8, kSize - 8), pattern)), CL_COMPLETE);
  Bytes expected(kSize, 1);
  for (std::size_t i = 8; i < kSize; ++i) expected[i] = static_cast<std::uint8_t>(i % 4 + 1);
  EXPECT_EQ(read(root), expected);
}

TEST_F(Transfers, AFillThatADeviceRefusesIsDoneElsewhere) {
  constexpr std::uint64_t kSize = 1 << 18;
  auto root = storage(kSize);
  written_on_device(root, 0, {0, kSize}, 1);
  devices[0]->fail_fills = 1;
  EXPECT_EQ(run(make_fill(root, RectRegion::linear(0, kSize), {std::byte{5}})), CL_COMPLETE);
  EXPECT_EQ(read(root), Bytes(kSize, 5));
  auto fresh = storage(kSize);
  devices[1]->fail_allocations = 1;
  EXPECT_EQ(run(make_fill(fresh, RectRegion::linear(0, kSize), {std::byte{6}})), CL_COMPLETE);
  EXPECT_EQ(read(fresh), Bytes(kSize, 6));
}

TEST_F(Transfers, RowsThatOneDeviceHasAreCopiedThere) {
  constexpr std::uint64_t kPitch = 1024, kRows = 256;
  auto from = storage(kPitch * kRows);
  auto to = storage(kPitch * kRows);
  write(to, 0, Bytes(kPitch * kRows, 9));
  written_on_device(from, 1, {0, kPitch * kRows}, 4);
  const auto sent = devices[0]->counters.bytes_to + devices[1]->counters.bytes_to;
  const RectRegion source{16, 512, 100, 2, kPitch, kPitch * 128};
  const RectRegion target{5, 512, 100, 2, 600, 600 * 101};
  EXPECT_EQ(run(make_copy(from, source, to, target)), CL_COMPLETE);
  EXPECT_EQ(gathered(), 0u);
  EXPECT_EQ(devices[0]->counters.bytes_to + devices[1]->counters.bytes_to, sent);
  EXPECT_EQ(devices[1]->counters.copies, 1u);
  Bytes expected(kPitch * kRows, 9);
  const domain::RangeSet copied = target.ranges();
  for (const auto& range : copied.ranges())
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(range.begin), range.size(), std::uint8_t{4});
  EXPECT_EQ(read(to), expected);
}

TEST_F(Transfers, RowsThatAreSplitOverDevicesMeetInHostMemory) {
  auto from = storage(1 << 17);
  auto to = storage(1 << 17);
  written_on_device(from, 0, {0, 1 << 16}, 1);
  written_on_device(from, 1, {1 << 16, 1 << 17}, 2);
  const RectRegion source{0, 512, 128, 1, 1024, 1 << 17};
  EXPECT_EQ(run(make_copy(from, source, to, source)), CL_COMPLETE);
  EXPECT_EQ(gathered(), std::uint64_t{1 << 16}) << "the rows, not what lies between them";
  EXPECT_EQ(read(to, 1024, 1), Bytes(1, 1));
  EXPECT_EQ(read(to, 127 * 1024, 1), Bytes(1, 2));
  EXPECT_EQ(read(to, 1023, 1), Bytes(1, 0));
}

TEST_F(Transfers, DisjointPartsOfOneBufferAreCopiedOnTheDevice) {
  constexpr std::uint64_t kHalf = 1 << 17;
  auto root = storage(2 * kHalf);
  written_on_device(root, 0, {0, kHalf}, 3);
  EXPECT_EQ(run(make_copy(root, RectRegion::linear(0, kHalf), root, RectRegion::linear(kHalf, kHalf))), CL_COMPLETE);
  const RectRegion left{0, 256, 64, 1, 512, 512 * 64}, right{256, 256, 64, 1, 512, 512 * 64};
  EXPECT_EQ(run(make_copy(root, left, root, right)), CL_COMPLETE);
  EXPECT_MOVED(0);
  EXPECT_EQ(devices[0]->counters.copies, 1u);
  EXPECT_EQ(read(root), Bytes(2 * kHalf, 3));
}

TEST_F(Transfers, EmptyCommandsTouchNothingAndEnd) {
  auto root = storage(16);
  Bytes none;
  EXPECT_EQ(run(make_read(root, RectRegion::linear(16, 0), box(none))), CL_COMPLETE);
  EXPECT_EQ(run(make_write(root, RectRegion::linear(16, 0), box(none))), CL_COMPLETE);
  EXPECT_EQ(run(make_copy(root, RectRegion::linear(0, 0), root, RectRegion::linear(0, 0))), CL_COMPLETE);
  EXPECT_EQ(run(make_fill(root, RectRegion::linear(0, 0), {std::byte{1}})), CL_COMPLETE);
}

TEST_F(Transfers, MemoryOfTheBuffersOwnHostPointerMayBeSourceAndTarget) {
  Bytes host = counting(64);
  auto memory = buffer(64, reinterpret_cast<std::byte*>(host.data()));
  const RectRegion all = RectRegion::linear(0, 64);
  written_on_device(memory->storage(), 0, {0, 32}, 8);
  EXPECT_EQ(run(make_read(memory->storage(), all, box(host))), CL_COMPLETE);  // becomes a gather
  EXPECT_EQ(host[0], 8);
  EXPECT_EQ(host[32], 32);
  written_on_device(memory->storage(), 0, {0, 32}, 9);
  host[0] = 77;
  EXPECT_EQ(run(make_write(memory->storage(), all, box(host))), CL_COMPLETE);  // becomes a note in the books
  EXPECT_EQ(read(memory->storage())[0], 77);
}

TEST_F(Transfers, MigratingToTheHostGathersAndUndefinedContentsAreForgotten) {
  auto root = storage(64);
  written_on_device(root, 0, {0, 64}, 3);
  EXPECT_EQ(run(make_migrate({{root, RectRegion::linear(0, 64)}}, CL_MIGRATE_MEM_OBJECT_HOST)), CL_COMPLETE);
  EXPECT_EQ(gathered(), 64u);
  EXPECT_EQ(run(make_migrate({{root, RectRegion::linear(0, 32)}}, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)),
            CL_COMPLETE);
  const MutexGuard lock(root->mutex());
  EXPECT_EQ(root->residency().undefined(domain::ByteRange{0, 64}), domain::RangeSet(domain::ByteRange{0, 32}));
}

TEST_F(Transfers, ANativeKernelSeesGatheredBytesAndItsWritesCount) {
  auto root = storage(64);
  written_on_device(root, 0, {0, 64}, 3);
  struct Arguments {
    std::uint8_t* bytes;
    std::thread::id* where;
  };
  std::thread::id where;
  Arguments arguments{nullptr, &where};
  const auto* raw = reinterpret_cast<const std::byte*>(&arguments);
  const auto command = make_native(
      [](void* data) {
        auto* a = static_cast<Arguments*>(data);
        a->bytes[5] = static_cast<std::uint8_t>(a->bytes[6] + 1);
        *a->where = std::this_thread::get_id();
      },
      std::vector<std::byte>(raw, raw + sizeof arguments), {{root, RectRegion::linear(0, 64), 0}});
  EXPECT_EQ(run(command), CL_COMPLETE);
  EXPECT_NE(where, std::this_thread::get_id());
  EXPECT_EQ(read(root)[5], 4);
}

TEST_F(Transfers, ASmallBlockingReadOfHostBytesNeedsNoOtherThread) {
  auto root = storage(64);
  write(root, 0, Bytes(64, 1));
  Bytes bytes(64);
  const auto event = queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(root, RectRegion::linear(0, 64), box(bytes)), {});
  EXPECT_TRUE(event->ended());  // before any wait
  EXPECT_EQ(bytes, Bytes(64, 1));
}

}  // namespace
}  // namespace skmd::icd::test
