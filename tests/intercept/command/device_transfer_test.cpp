// SPDX-License-Identifier: Apache-2.0
// Writes that go straight to the device that uses the buffer next, and reads that come straight from it.
#include <atomic>
#include <chrono>
#include <future>
#include <thread>
#include <vector>

#include "intercept/backend/vendor/vendor_constants.h"
#include "partitioner/base/mutex.h"
#include "tests/intercept/command/command_fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{128} << 10;

class DeviceWrites : public Commands {
 protected:
  DeviceWrites() : root(storage(4 * kBytes)) { root->usage().used_on(0); }
  /// `bytes` must live until the event has ended.
  Ref<Event> enqueue(Bytes& bytes, std::uint64_t offset = 0) {
    return queue->enqueue(CL_COMMAND_WRITE_BUFFER,
                          make_write(root, RectRegion::linear(offset, bytes.size()), box(bytes)), {});
  }
  domain::SpaceMask spaces(std::uint64_t offset) {
    const MutexGuard lock(root->mutex());
    return root->residency().pieces(domain::ByteRange{offset, offset + 1}).front().valid;
  }
  std::uint64_t sent() { return devices[0]->counters.bytes_to; }
  static constexpr domain::SpaceMask kHostOnly = 1, kFirstOnly = 2;

  std::shared_ptr<Storage> root;
};

TEST_F(DeviceWrites, AreSubmittedBehindEachOtherWithoutWaiting) {
  Bytes first = counting(kBytes, 1);
  Bytes second = counting(kBytes, 7);
  std::atomic<int> submissions{0};
  devices[0]->on_submit = [&] { ++submissions; };
  devices[0]->pause();
  const auto one = enqueue(first);
  const auto two = enqueue(second, kBytes / 2);
  EXPECT_EQ(submissions, 2);
  EXPECT_EQ(two->chained_on(), devices[0].get());
  EXPECT_FALSE(one->ended());
  devices[0]->resume();
  EXPECT_EQ(two->wait(), CL_COMPLETE);
  EXPECT_EQ(one->wait(), CL_COMPLETE);
  devices[0]->on_submit = nullptr;
  EXPECT_EQ(sent(), 2 * kBytes);
  EXPECT_EQ(spaces(0), kFirstOnly);
  Bytes expected = first;
  expected.resize(kBytes + kBytes / 2);
  std::copy(second.begin(), second.end(), expected.begin() + kBytes / 2);
  EXPECT_EQ(read(root, 0, expected.size()), expected);
}

TEST_F(DeviceWrites, AreForBuffersThatOneDeviceUsesNext) {
  Bytes bytes = counting(kBytes);
  root->usage().used_on(std::nullopt);
  EXPECT_EQ(enqueue(bytes)->wait(), CL_COMPLETE);
  EXPECT_EQ(sent(), 0u);
  EXPECT_EQ(spaces(0), kHostOnly);
}

TEST_F(DeviceWrites, AreNeitherSmallNorHuge) {
  Bytes small = counting((32u << 10) - 1);
  EXPECT_EQ(enqueue(small)->wait(), CL_COMPLETE);
  EXPECT_EQ(spaces(0), kHostOnly);
  Bytes enough = counting(32u << 10);
  EXPECT_EQ(enqueue(enough)->wait(), CL_COMPLETE);
  EXPECT_EQ(spaces(0), kFirstOnly);
  root = storage(8u << 20);
  root->usage().used_on(0);
  devices[0]->pause();
  Bytes huge = counting((4u << 20) + 1);
  const auto event = enqueue(huge);
  EXPECT_EQ(event->chained_on(), nullptr) << "a thread of the executor's waits for it";
  devices[0]->resume();
  EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(spaces(0), kFirstOnly);
}

TEST_F(DeviceWrites, ThatFailAreDoneInHostMemory) {
  Bytes bytes = counting(kBytes, 3);
  devices[0]->fail_writes = 1;
  EXPECT_EQ(enqueue(bytes)->wait(), CL_COMPLETE);
  EXPECT_EQ(spaces(0), kHostOnly);
  EXPECT_EQ(read(root, 0, kBytes), bytes);
}

TEST_F(DeviceWrites, BehindOneThatFailsKeepTheirOrder) {
  Bytes first(kBytes, 1);
  Bytes second(kBytes, 2);
  Bytes apart(kBytes, 3);
  devices[0]->fail_writes = 1;
  devices[0]->pause();
  const std::vector<Ref<Event>> events{enqueue(first), enqueue(second, kBytes / 2), enqueue(apart, 2 * kBytes)};
  devices[0]->resume();
  for (const auto& event : events) EXPECT_EQ(event->wait(), CL_COMPLETE);
  Bytes expected(3 * kBytes, 2);
  std::fill_n(expected.begin(), kBytes / 2, 1);
  std::fill_n(expected.begin() + 3 * kBytes / 2, kBytes / 2, 0);
  std::fill_n(expected.begin() + 2 * kBytes, kBytes, 3);
  EXPECT_EQ(read(root, 0, 3 * kBytes), expected);
  EXPECT_EQ(spaces(2 * kBytes), kFirstOnly) << "nothing before it was in its way";
}

TEST_F(DeviceWrites, HoldUpNoSmallWriteAndNoLaterOne) {
  const auto table = storage(256);
  Bytes large = counting(kBytes, 2);
  Bytes small = counting(256, 3);
  Bytes last = counting(kBytes, 4);
  devices[0]->pause();
  const auto first = enqueue(large);
  const auto second =
      queue->enqueue(CL_COMMAND_WRITE_BUFFER, make_write(table, RectRegion::linear(0, small.size()), box(small)), {});
  const auto third = enqueue(last, 2 * kBytes);
  {
    const MutexGuard lock(table->mutex());
    EXPECT_EQ(table->residency().pieces().front().valid, kHostOnly) << "it is written already";
  }
  EXPECT_FALSE(second->ended()) << "it ends after what was before it";
  EXPECT_EQ(third->chained_on(), devices[0].get());
  devices[0]->resume();
  for (const auto& event : {first, second, third}) EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(read(table), small);
  EXPECT_EQ(read(root, 2 * kBytes, kBytes), last);
}

TEST_F(DeviceWrites, AreReadBeforeALaterReadFillsTheirMemory) {
  Bytes bytes = counting(kBytes, 2);
  const auto other = storage(1024);
  write(other, 0, Bytes(1024, 99));
  devices[0]->pause();
  const auto writing = enqueue(bytes);
  const auto reading =
      queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(other, RectRegion::linear(0, 1024), box(bytes)), {});
  EXPECT_EQ(bytes, counting(kBytes, 2));
  devices[0]->resume();
  EXPECT_EQ(writing->wait(), CL_COMPLETE);
  EXPECT_EQ(reading->wait(), CL_COMPLETE);
  EXPECT_EQ(read(root, 0, kBytes), counting(kBytes, 2));
  EXPECT_EQ(bytes[1023], 99);
}

TEST_F(DeviceWrites, WithoutRoomOnTheDeviceGoToHostMemory) {
  Bytes bytes = counting(kBytes, 5);
  devices[0]->fail_allocations = 1;
  EXPECT_EQ(enqueue(bytes)->wait(), CL_COMPLETE);
  EXPECT_EQ(spaces(0), kHostOnly);
  EXPECT_EQ(read(root, 0, kBytes), bytes);
}

TEST_F(DeviceWrites, WaitForWhatIsUnderWayElsewhere) {
  written_on_device(root, 1, {0, kBytes}, 9);
  devices[1]->pause();
  Bytes seen(kBytes);
  const auto reading =
      queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(root, RectRegion::linear(0, kBytes), box(seen)), {});
  const auto other =
      make_object<Queue>(context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{}, executor);
  Bytes bytes = counting(kBytes, 4);
  const auto writing =
      other->enqueue(CL_COMMAND_WRITE_BUFFER, make_write(root, RectRegion::linear(0, kBytes), box(bytes)), {});
  EXPECT_EQ(writing->chained_on(), nullptr);
  devices[1]->resume();
  EXPECT_EQ(reading->wait(), CL_COMPLETE);
  EXPECT_EQ(writing->wait(), CL_COMPLETE);
  EXPECT_EQ(seen, Bytes(kBytes, 9));
  EXPECT_EQ(read(root, 0, kBytes), bytes);
}

using DeviceReads = DeviceWrites;

TEST_F(DeviceReads, AreSubmittedBehindWhatMakesTheirBytes) {
  Bytes bytes = counting(kBytes, 1);
  Bytes seen(kBytes);
  std::atomic<int> submissions{0};
  devices[0]->on_submit = [&] { ++submissions; };
  devices[0]->pause();
  const auto writing = enqueue(bytes);
  const auto reading =
      queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(root, RectRegion::linear(0, seen.size()), box(seen)), {});
  EXPECT_EQ(submissions, 2);
  devices[0]->resume();
  EXPECT_EQ(reading->wait(), CL_COMPLETE);
  devices[0]->on_submit = nullptr;
  EXPECT_EQ(seen, bytes);
  EXPECT_EQ(spaces(0), kFirstOnly);
}

TEST_F(DeviceReads, ThatBlockAreSubmittedBeforeAnythingIsWaitedFor) {
  Bytes bytes = counting(kBytes, 1);
  Bytes seen(kBytes);
  std::promise<void> both;
  std::atomic<int> submissions{0};
  devices[0]->on_submit = [&] {
    if (++submissions == 2) both.set_value();
  };
  devices[0]->pause();
  enqueue(bytes);
  std::thread reader([&] {
    const auto event = queue->enqueue_and_wait(CL_COMMAND_READ_BUFFER,
                                               make_read(root, RectRegion::linear(0, seen.size()), box(seen)), {});
    EXPECT_TRUE(event->ended());
    EXPECT_EQ(event->status(), CL_COMPLETE);
  });
  EXPECT_EQ(both.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
  devices[0]->resume();
  reader.join();
  devices[0]->on_submit = nullptr;
  EXPECT_EQ(devices[0]->counters.awaited_batches, 1u) << "of the read, whose end only its submitter asks for";
  EXPECT_EQ(seen, bytes);
}

TEST_F(DeviceReads, EndBeforeWhatFollowsTakesTheBytesThatTheyBring) {
  written_on_device(root, 0, {0, kBytes}, 6);
  const auto table = storage(1024);
  Bytes memory(kBytes, 1);
  devices[0]->pause();
  const auto reading =
      queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(root, RectRegion::linear(0, memory.size()), box(memory)), {});
  const auto small =
      queue->enqueue(CL_COMMAND_WRITE_BUFFER, make_write(table, RectRegion::linear(0, 1024), box(memory)), {});
  const auto large = enqueue(memory, 2 * kBytes);
  devices[0]->resume();
  for (const auto& event : {reading, small, large}) EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(read(table), Bytes(1024, 6));
  EXPECT_EQ(read(root, 2 * kBytes, kBytes), Bytes(kBytes, 6));
}

TEST_F(DeviceReads, ThatFailAreReadAgain) {
  written_on_device(root, 0, {0, kBytes}, 6);
  devices[0]->fail_reads = 1;
  EXPECT_EQ(read(root, 0, kBytes), Bytes(kBytes, 6));
}

TEST_F(DeviceReads, BehindAWriteThatFailsGetWhatWasWritten) {
  written_on_device(root, 0, {0, kBytes}, 6);
  Bytes bytes = counting(kBytes, 1);
  Bytes seen(kBytes);
  devices[0]->fail_writes = 1;
  devices[0]->pause();
  const auto writing = enqueue(bytes);
  const auto reading =
      queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(root, RectRegion::linear(0, seen.size()), box(seen)), {});
  devices[0]->resume();
  EXPECT_EQ(writing->wait(), CL_COMPLETE);
  EXPECT_EQ(reading->wait(), CL_COMPLETE);
  EXPECT_EQ(seen, bytes);
}

TEST_F(DeviceReads, OfBuffersThatSeveralDevicesUseStayInHostMemory) {
  root->usage().used_on(std::nullopt);
  written_on_device(root, 0, {0, kBytes}, 6);
  EXPECT_EQ(read(root, 0, kBytes), Bytes(kBytes, 6));
  EXPECT_EQ(spaces(0), kHostOnly | kFirstOnly);
}

TEST_F(DeviceReads, OfFewBytesWaitForTheDeviceFirst) {
  Bytes bytes = counting(kBytes, 1);
  Bytes seen(kBytes - 1);
  devices[0]->pause();
  const auto writing = enqueue(bytes);
  const auto reading =
      queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(root, RectRegion::linear(0, seen.size()), box(seen)), {});
  EXPECT_EQ(reading->chained_on(), nullptr);
  devices[0]->resume();
  EXPECT_EQ(reading->wait(), CL_COMPLETE);
  EXPECT_EQ(seen, Bytes(bytes.begin(), bytes.end() - 1));
}

TEST_F(DeviceReads, OfFewBytesComeThroughPinnedMemoryBehindWhatMakesThem) {
  devices[0]->lend_small_pieces();
  for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{1000}, kBytes - 3}) {
    Bytes bytes = counting(kBytes, static_cast<std::uint8_t>(size));
    Bytes seen(size);
    std::atomic<int> submissions{0};
    devices[0]->on_submit = [&] { ++submissions; };
    devices[0]->pause();
    const auto writing = enqueue(bytes);
    const auto reading =
        queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(root, RectRegion::linear(3, size), box(seen)), {});
    EXPECT_EQ(submissions, 2);
    devices[0]->resume();
    EXPECT_EQ(reading->wait(), CL_COMPLETE);
    devices[0]->on_submit = nullptr;
    EXPECT_EQ(seen, Bytes(bytes.begin() + 3, bytes.begin() + 3 + static_cast<std::ptrdiff_t>(size)));
    EXPECT_EQ(spaces(0), kFirstOnly);
    EXPECT_EQ(writing->wait(), CL_COMPLETE);
  }
  EXPECT_EQ(devices[0]->counters.packed_reads, 3u);
}

TEST_F(DeviceReads, OfSomeMegabytesComeInPiecesThroughThatMemoryToo) {
  devices[0]->lend_small_pieces();
  constexpr std::uint64_t kSome = (std::uint64_t{5} << 19) + 77;
  const auto some = storage(kSome + 5);
  some->usage().used_on(0);
  Bytes bytes = counting(kSome + 5, 3);
  EXPECT_EQ(
      queue->enqueue(CL_COMMAND_WRITE_BUFFER, make_write(some, RectRegion::linear(0, bytes.size()), box(bytes)), {})
          ->wait(),
      CL_COMPLETE);
  EXPECT_EQ(read(some, 5, kSome), Bytes(bytes.begin() + 5, bytes.end()));
  EXPECT_EQ(devices[0]->counters.packed_reads, 6u) << "of half a megabyte, and what is left";
}

TEST_F(DeviceReads, OfFewBytesThatFailAreReadAgain) {
  devices[0]->lend_small_pieces();
  written_on_device(root, 0, {0, kBytes}, 6);
  devices[0]->fail_reads = 1;
  EXPECT_EQ(read(root, 5, 100), Bytes(100, 6));
  EXPECT_EQ(devices[0]->counters.packed_reads, 0u);
  EXPECT_EQ(read(root, 5, 100), Bytes(100, 6)) << "the piece was given back";
}

TEST_F(DeviceReads, OfFewBytesWithoutAPieceWaitForTheDevice) {
  devices[0]->lend_small_pieces();
  written_on_device(root, 0, {0, kBytes}, 6);
  constexpr std::size_t kReads = tuning::kSmallPieces + 3;
  std::vector<Ref<Queue>> queues;
  std::vector<Ref<Event>> events;
  std::vector<Bytes> seen(kReads, Bytes(100));
  for (int time = 0; time < 2; ++time) {
    devices[0]->pause();
    for (Bytes& bytes : seen) {
      queues.push_back(
          make_object<Queue>(context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{}, executor));
      events.push_back(
          queues.back()->enqueue(CL_COMMAND_READ_BUFFER, make_read(root, RectRegion::linear(0, 100), box(bytes)), {}));
    }
    devices[0]->resume();
    for (const auto& event : events) EXPECT_EQ(event->wait(), CL_COMPLETE);
    EXPECT_EQ(seen, std::vector<Bytes>(kReads, Bytes(100, 6)));
    written_on_device(root, 0, {0, kBytes}, 6);  // the wait has left a copy in host memory
  }
  EXPECT_EQ(devices[0]->counters.packed_reads, 2 * tuning::kSmallPieces);
}

TEST_F(DeviceReads, ThatBlockBehindAFailureFailWithIt) {
  const auto gate = make_object<Event>(context, nullptr, CL_COMMAND_USER, executor);
  Bytes bytes(16);
  const auto first =
      queue->enqueue(CL_COMMAND_WRITE_BUFFER, make_write(root, RectRegion::linear(0, 16), box(bytes)), {gate});
  gate->complete(-5);
  const auto event =
      queue->enqueue_and_wait(CL_COMMAND_READ_BUFFER, make_read(root, RectRegion::linear(0, 16), box(bytes)), {first});
  EXPECT_TRUE(event->ended());
  EXPECT_EQ(event->status(), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

}  // namespace
}  // namespace skmd::icd::test
