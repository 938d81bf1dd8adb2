// SPDX-License-Identifier: Apache-2.0
// Copies and fills that are submitted to the device that has the bytes, behind all commands on its queue.
#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "partitioner/base/mutex.h"
#include "tests/intercept/command/command_fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{128} << 10;

class DeviceCopies : public Commands {
 protected:
  DeviceCopies() : from(storage(4 * kBytes)), to(storage(4 * kBytes)) {
    from->usage().used_on(0);
    to->usage().used_on(0);
    devices[0]->on_submit = [this] { ++submissions; };
  }
  ~DeviceCopies() override {
    queue->finish();
    devices[0]->on_submit = nullptr;
  }
  Ref<Event> enqueue_write(const std::shared_ptr<Storage>& target, Bytes& bytes, std::uint64_t offset = 0) {
    return queue->enqueue(CL_COMMAND_WRITE_BUFFER,
                          make_write(target, RectRegion::linear(offset, bytes.size()), box(bytes)), {});
  }
  Ref<Event> enqueue_copy(const std::shared_ptr<Storage>& source, std::uint64_t begin,
                          const std::shared_ptr<Storage>& target, std::uint64_t offset, std::uint64_t bytes) {
    return queue->enqueue(
        CL_COMMAND_COPY_BUFFER,
        make_copy(source, RectRegion::linear(begin, bytes), target, RectRegion::linear(offset, bytes)), {});
  }
  Ref<Event> enqueue_fill(const std::shared_ptr<Storage>& target, std::uint64_t offset, std::uint64_t bytes,
                          std::size_t width, std::uint8_t value) {
    std::vector<std::byte> pattern(width);
    for (std::size_t i = 0; i < width; ++i) pattern[i] = static_cast<std::byte>(value + i);
    return queue->enqueue(CL_COMMAND_FILL_BUFFER, make_fill(target, RectRegion::linear(offset, bytes), pattern), {});
  }
  static domain::SpaceMask spaces(const std::shared_ptr<Storage>& of, std::uint64_t offset) {
    const MutexGuard lock(of->mutex());
    return of->residency().pieces(domain::ByteRange{offset, offset + 1}).front().valid;
  }
  static constexpr domain::SpaceMask kHostOnly = 1, kFirstOnly = 2;

  std::shared_ptr<Storage> from, to;
  std::atomic<int> submissions{0};
};

TEST_F(DeviceCopies, AreSubmittedBehindWhatMakesTheirBytes) {
  Bytes bytes = counting(kBytes, 3);
  devices[0]->pause();
  const auto writing = enqueue_write(from, bytes);
  const auto copying = enqueue_copy(from, 16, to, 48, kBytes - 16);
  const auto again = enqueue_copy(to, 48, from, 2 * kBytes, 1000);
  EXPECT_EQ(submissions, 3);
  EXPECT_EQ(again->chained_on(), devices[0].get());
  devices[0]->resume();
  for (const auto& event : {writing, copying, again}) EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(spaces(to, 48), kFirstOnly);
  EXPECT_EQ(read(to, 48, kBytes - 16), Bytes(bytes.begin() + 16, bytes.end()));
  EXPECT_EQ(read(from, 2 * kBytes, 1000), Bytes(bytes.begin() + 16, bytes.begin() + 1016));
}

TEST_F(DeviceCopies, WithinOneBufferAreSubmittedWhereTheyDoNotOverlap) {
  Bytes bytes = counting(2 * kBytes, 1);
  devices[0]->pause();
  const auto writing = enqueue_write(from, bytes);
  const auto apart = enqueue_copy(from, 0, from, 2 * kBytes, kBytes);
  EXPECT_EQ(apart->chained_on(), devices[0].get());
  const auto overlapping = enqueue_copy(from, 0, from, 8, kBytes);
  EXPECT_EQ(overlapping->chained_on(), nullptr);
  devices[0]->resume();
  for (const auto& event : {writing, apart, overlapping}) EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(read(from, 2 * kBytes, kBytes), Bytes(bytes.begin(), bytes.begin() + kBytes));
  EXPECT_EQ(read(from, 8, kBytes), Bytes(bytes.begin(), bytes.begin() + kBytes));
}

TEST_F(DeviceCopies, OfFewBytesThatAreInHostMemoryStayThere) {
  write(from, 0, counting(1000, 1));
  EXPECT_EQ(enqueue_copy(from, 0, to, 0, 1000)->wait(), CL_COMPLETE);
  EXPECT_EQ(spaces(to, 0), kHostOnly);
  EXPECT_EQ(submissions, 0);
  EXPECT_EQ(read(to, 0, 1000), counting(1000, 1));
}

TEST_F(DeviceCopies, OfBytesInSeveralPlacesAreWaitedFor) {
  written_on_device(from, 0, {0, kBytes}, 4);
  written_on_device(from, 1, {kBytes, 2 * kBytes}, 5);
  const auto copying = enqueue_copy(from, 0, to, 0, 2 * kBytes);
  EXPECT_EQ(copying->wait(), CL_COMPLETE);
  EXPECT_EQ(read(to, 0, kBytes), Bytes(kBytes, 4));
  EXPECT_EQ(read(to, kBytes, kBytes), Bytes(kBytes, 5));
}

TEST_F(DeviceCopies, ThatFailAreDoneAgain) {
  written_on_device(from, 0, {0, kBytes}, 4);
  written_on_device(to, 0, {0, kBytes}, 9);
  devices[0]->fail_copies = 1;
  EXPECT_EQ(enqueue_copy(from, 0, to, 0, kBytes)->wait(), CL_COMPLETE);
  EXPECT_EQ(read(to, 0, kBytes), Bytes(kBytes, 4));
  devices[0]->fail_copies = 2;  // then through host memory
  EXPECT_EQ(enqueue_copy(from, 0, to, kBytes, kBytes)->wait(), CL_COMPLETE);
  EXPECT_EQ(read(to, kBytes, kBytes), Bytes(kBytes, 4));
}

TEST_F(DeviceCopies, WithoutRoomOnTheDeviceGoThroughHostMemory) {
  written_on_device(from, 0, {0, kBytes}, 4);
  devices[0]->fail_allocations = 3;
  EXPECT_EQ(enqueue_copy(from, 0, to, 0, kBytes)->wait(), CL_COMPLETE);
  EXPECT_EQ(read(to, 0, kBytes), Bytes(kBytes, 4));
}

TEST_F(DeviceCopies, BehindAWriteThatFailsKeepTheirOrder) {
  Bytes first(kBytes, 1), second(kBytes, 2);
  devices[0]->fail_writes = 1;
  devices[0]->pause();
  const std::vector<Ref<Event>> events{enqueue_write(from, first), enqueue_copy(from, 0, to, 0, kBytes),
                                       enqueue_write(from, second), enqueue_copy(to, 0, from, 2 * kBytes, kBytes)};
  EXPECT_EQ(submissions, 4);
  devices[0]->resume();
  for (const auto& event : events) EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(read(to, 0, kBytes), first);
  EXPECT_EQ(read(from, 0, kBytes), second);
  EXPECT_EQ(read(from, 2 * kBytes, kBytes), first);
}

TEST_F(DeviceCopies, ThatCountedOnAFailedWriteAreNotCountedOn) {
  Bytes bytes = counting(kBytes, 1), seen(kBytes);
  devices[0]->fail_writes = 1;
  devices[0]->on_failure = [this] { devices[0]->pause(); };
  devices[0]->pause();
  const std::vector<Ref<Event>> events{enqueue_write(from, bytes), enqueue_copy(from, 0, to, 0, kBytes)};
  devices[0]->resume();
  while (devices[0]->health()->failures() == 0) std::this_thread::yield();
  // The write has failed; the outcome of the copy is not known yet.
  while (submissions < 3) std::this_thread::yield();  // the one that tells when both have ended
  const auto reading =
      queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(to, RectRegion::linear(0, kBytes), box(seen)), {});
  EXPECT_EQ(submissions, 4);
  devices[0]->resume();
  for (const auto& event : events) EXPECT_EQ(event->wait(), CL_COMPLETE);
  EXPECT_EQ(reading->wait(), CL_COMPLETE);
  EXPECT_EQ(seen, bytes);
  devices[0]->on_failure = nullptr;
}

using DeviceFills = DeviceCopies;

TEST_F(DeviceFills, AreSubmittedBehindWhatIsUnderWay) {
  Bytes bytes = counting(kBytes, 3);
  devices[0]->pause();
  const auto writing = enqueue_write(to, bytes);
  const auto filling = enqueue_fill(to, 4, kBytes - 8, 4, 60);
  EXPECT_EQ(submissions, 2);
  EXPECT_EQ(filling->chained_on(), devices[0].get());
  devices[0]->resume();
  for (const auto& event : {writing, filling}) EXPECT_EQ(event->wait(), CL_COMPLETE);
  Bytes expected = bytes;
  for (std::size_t i = 4; i < kBytes - 4; ++i) expected[i] = static_cast<std::uint8_t>(60 + i % 4);
  EXPECT_EQ(spaces(to, 4), kFirstOnly);
  EXPECT_EQ(read(to, 0, kBytes), expected);
}

TEST_F(DeviceFills, OfBuffersThatNobodyUsesAreNotSent) {
  to->usage().used_on(std::nullopt);
  write(to, 0, Bytes(kBytes, 1));
  submissions = 0;
  EXPECT_EQ(enqueue_fill(to, 0, kBytes, 4, 60)->wait(), CL_COMPLETE);
  EXPECT_EQ(submissions, 0);
  EXPECT_EQ(spaces(to, 0), kHostOnly);
}

TEST_F(DeviceFills, ThatFailAreDoneInHostMemory) {
  written_on_device(to, 0, {0, kBytes}, 9);
  devices[0]->fail_fills = 1;
  EXPECT_EQ(enqueue_fill(to, 0, kBytes, 1, 7)->wait(), CL_COMPLETE);
  EXPECT_EQ(spaces(to, 0), kHostOnly);
  EXPECT_EQ(read(to, 0, kBytes), Bytes(kBytes, 7));
}

/// What buffers should hold, byte by byte; -1: undefined, since the command that wrote it ended with an error.
class Arrays {
 public:
  Arrays(std::size_t count, std::uint64_t size) : values_(count, std::vector<int>(size, 0)) {}

  /// A command that replaces `size` bytes of array `target` by what `source` gives when its turn comes.
  void later(Ref<Event> event, std::size_t target, std::uint64_t at, std::uint64_t size,
             std::function<std::vector<int>()> source) {
    steps_.push_back({std::move(event), target, at, size, std::move(source)});
  }
  [[nodiscard]] std::vector<int> part(std::size_t array, std::uint64_t at, std::uint64_t size) const {
    const auto first = values_[array].begin() + static_cast<std::ptrdiff_t>(at);
    return {first, first + static_cast<std::ptrdiff_t>(size)};
  }
  /// All of them have ended.
  void settle() {
    for (const Step& step : std::exchange(steps_, {})) {
      const bool well = step.event->wait() == CL_COMPLETE;
      lost_ += well ? 0 : 1;
      const auto bytes = well ? step.source() : std::vector<int>(step.size, -1);
      std::copy(bytes.begin(), bytes.end(), values_[step.target].begin() + static_cast<std::ptrdiff_t>(step.at));
    }
  }
  [[nodiscard]] bool holds(const Bytes& seen, std::size_t array, std::uint64_t at) const {
    return std::equal(seen.begin(), seen.end(), values_[array].begin() + static_cast<std::ptrdiff_t>(at),
                      [](std::uint8_t is, int should) { return should < 0 || is == should; });
  }
  [[nodiscard]] int lost() const { return lost_; }

 private:
  struct Step {
    Ref<Event> event;
    std::size_t target;
    std::uint64_t at, size;
    std::function<std::vector<int>()> source;
  };
  std::vector<std::vector<int>> values_;
  std::vector<Step> steps_;
  int lost_ = 0;
};

class DeviceTransfers : public DeviceCopies, public ::testing::WithParamInterface<int> {
 protected:
  void fail_something() {
    std::atomic<int>* const kinds[] = {&devices[0]->fail_writes, &devices[0]->fail_reads, &devices[0]->fail_copies,
                                       &devices[0]->fail_fills};
    *kinds[random() % std::size(kinds)] = 1;
    ++failures;
  }
  void write_something(std::size_t a, std::uint64_t at, std::uint64_t size) {
    Bytes& bytes = memory.emplace_back(counting(size, static_cast<std::uint8_t>(random())));
    arrays.later(enqueue_write(storages[a], bytes, at), a, at, size,
                 [&bytes] { return std::vector<int>(bytes.begin(), bytes.end()); });
  }
  void copy_something(std::size_t a, std::uint64_t at, std::uint64_t size) {
    const std::size_t b = random() % storages.size();
    const std::uint64_t other = random() % 8 * (kBytes / 4);
    if (a == b && at < other + size && other < at + size) return;
    arrays.later(enqueue_copy(storages[b], other, storages[a], at, size), a, at, size,
                 [this, b, other, size] { return arrays.part(b, other, size); });
  }
  void fill_something(std::size_t a, std::uint64_t at, std::uint64_t size) {
    const auto value = static_cast<std::uint8_t>(random());
    arrays.later(enqueue_fill(storages[a], at, size, 4, value), a, at, size, [size, value] {
      std::vector<int> bytes(size);
      for (std::uint64_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(value + i % 4);
      return bytes;
    });
  }
  void read_something(std::size_t a, std::uint64_t at, std::uint64_t size) {
    Bytes seen(size);
    const auto reading =
        queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(storages[a], RectRegion::linear(at, size), box(seen)), {});
    const bool well = reading->wait() == CL_COMPLETE;
    arrays.settle();
    unread += well ? 0 : 1;
    ASSERT_TRUE(!well || arrays.holds(seen, a, at)) << "array " << a << ", " << size << " bytes at " << at;
  }

  std::mt19937 random{static_cast<std::mt19937::result_type>(GetParam())};
  std::vector<std::shared_ptr<Storage>> storages{from, to, storage(4 * kBytes)};
  Arrays arrays{3, 4 * kBytes};
  std::deque<Bytes> memory;  // stays where it is
  int failures = 0, unread = 0;
};

/// After any failure: the same bytes as in plain arrays, except those of commands that report an error.
TEST_P(DeviceTransfers, InAnyOrderGiveWhatArraysWouldHold) {
  storages.back()->usage().used_on(0);
  for (const auto& each : storages) write(each, 0, Bytes(4 * kBytes));
  for (int step = 0; step < 120 && !HasFatalFailure(); ++step) {
    SCOPED_TRACE(step);
    if (random() % 12 == 0) fail_something();
    const std::size_t a = random() % storages.size();
    const std::uint64_t at = random() % 8 * (kBytes / 4);
    const std::uint64_t size = 4 * (1 + random() % (random() % 4 == 0 ? 500 : kBytes / 2));
    switch (random() % 4) {
      case 0:
        write_something(a, at, size);
        break;
      case 1:
        copy_something(a, at, size);
        break;
      case 2:
        fill_something(a, at, size);
        break;
      default:
        read_something(a, at, size);
    }
  }
  arrays.settle();
  EXPECT_GT(failures, 0);
  // Lost is what only the device had, under what failed there or came after; and what was copied from there.
  EXPECT_LE(arrays.lost() + unread, 30);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DeviceTransfers, ::testing::Range(0, 40));

}  // namespace
}  // namespace skmd::icd::test
