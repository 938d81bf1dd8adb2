// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "cpu-driver/runtime/pool.h"
#include "intercept/backend/vendor/vendor_constants.h"
#include "intercept/command/transfer.h"
#include "intercept/memory/bytes.h"
#include "intercept/object/kernel.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 1024;

std::vector<std::uint32_t> ramp(std::uint32_t first = 0) {
  std::vector<std::uint32_t> values(kItems);
  std::iota(values.begin(), values.end(), first);
  return values;
}

struct Buffers {
  explicit Buffers(FakeMachine& m) : x(m.storage(kItems * 4)), y(m.storage(kItems * 4)) {}
  std::shared_ptr<Storage> x, y;
};

std::vector<std::uint32_t> contents(FakeMachine& m, const std::shared_ptr<Storage>& storage) {
  std::vector<std::uint32_t> values(storage->bytes() / 4);
  m.read(storage, 0, values.data(), storage->bytes());
  return values;
}

TEST(Split, EachDeviceReceivesItsShareAndSendsBackItsShare) {
  FakeMachine m({true, true});
  Buffers b(m);
  const auto x = ramp(), y = ramp(7);
  m.write(b.x, 0, x.data(), b.x->bytes());
  m.write(b.y, 0, y.data(), b.y->bytes());
  EXPECT_EQ(m.launch(m.kernel(axpy_traits()), line(kItems, 64), {whole(b.y), whole(b.x), value_of(3u)})->wait(),
            CL_COMPLETE);
  for (const auto& fake : m.fakes) {
    EXPECT_EQ(fake->counters.groups, 8u);
    EXPECT_EQ(fake->counters.bytes_to, kItems * 4);  // half of two buffers
    EXPECT_EQ(fake->counters.bytes_from, 0u);        // lazily
  }
  const auto result = contents(m, b.y);
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(result[i], i + 7 + 3 * i);
  for (const auto& fake : m.fakes) EXPECT_EQ(fake->counters.bytes_from, kItems * 2);
}

/// The first submission to each device, or the first wait for it, blocks until all devices have got there; with a time
/// limit.
class Meeting {
 public:
  explicit Meeting(FakeMachine& machine, std::function<void()> FakeDevice::*place = &FakeDevice::on_submit)
      : missing_(machine.fakes.size()) {
    for (const auto& fake : machine.fakes)
      (*fake).*place = [this, first = std::make_shared<std::atomic<bool>>(true)] {
        if (first->exchange(false)) arrive();
      };
  }
  [[nodiscard]] bool took_place() {
    const std::lock_guard lock(mutex_);
    return missing_ == 0 && !missed_;
  }

 private:
  void arrive() {
    std::unique_lock lock(mutex_);
    --missing_;
    all_.notify_all();
    const auto last = std::chrono::system_clock::now() + std::chrono::seconds(60);
    missed_ = !all_.wait_until(lock, last, [this] { return missing_ == 0; }) || missed_;
  }
  std::mutex mutex_;
  std::condition_variable all_;
  std::size_t missing_;
  bool missed_ = false;
};

struct Many : FakeMachine {
  Many() : FakeMachine({true, true}), y(storage(kBytes)), x(storage(kBytes)) {
    for (const auto& buffer : {y, x}) write(buffer, 0, values.data(), kBytes);
  }
  ~Many() {
    for (const auto& fake : fakes) fake->on_submit = fake->on_help = nullptr;
  }
  cl_int add() {
    return launch(kernel(axpy_traits()), line(values.size(), 64), {whole(y), whole(x), value_of(1u)})->wait();
  }
  static constexpr std::uint64_t kBytes = 2 * tuning::kStagedLeast;
  std::vector<std::uint32_t> values = std::vector<std::uint32_t>(kBytes / 4, 21);
  std::shared_ptr<Storage> y, x;
};

TEST(Split, ManyBytesGoToAllDevicesAtOnce) {
  if (cpu::Pool::shared().threads() < 2) GTEST_SKIP() << "one processor";
  Many m;
  Meeting meeting(m);
  EXPECT_EQ(m.add(), CL_COMPLETE);
  EXPECT_TRUE(meeting.took_place());
  EXPECT_EQ(contents(m, m.y), std::vector<std::uint32_t>(m.values.size(), 42));
}

TEST(Split, ManyBytesComeFromAllDevicesAtOnce) {
  if (cpu::Pool::shared().threads() < 2) GTEST_SKIP() << "one processor";
  Many m;
  for (const auto& fake : m.fakes) fake->lend_pinned_pieces();
  EXPECT_EQ(m.add(), CL_COMPLETE);
  Meeting meeting(m, &FakeDevice::on_help);
  EXPECT_EQ(contents(m, m.y), std::vector<std::uint32_t>(m.values.size(), 42));
  EXPECT_TRUE(meeting.took_place());
}

TEST(Split, BytesAreAskedForBeforeAnybodyWaitsForThem) {
  Many m;
  for (const auto& fake : m.fakes) fake->lend_pinned_pieces();
  EXPECT_EQ(m.add(), CL_COMPLETE);
  std::atomic<int> asked{0}, asked_before_first_wait{-1};
  for (const auto& fake : m.fakes) {
    fake->on_submit = [&] { ++asked; };
    fake->on_help = [&] {
      int none = -1;
      asked_before_first_wait.compare_exchange_strong(none, asked.load());
    };
  }
  EXPECT_EQ(contents(m, m.y), std::vector<std::uint32_t>(m.values.size(), 42));
  EXPECT_EQ(asked_before_first_wait.load(), 8) << "four pieces of each of two devices";
}

// Who waits for page-locked memory holds none: else readers of many buffers would wait for each other.
TEST(Split, ManyReadersOfManyBytesEndTogether) {
  Many m;
  for (const auto& fake : m.fakes) fake->lend_pinned_pieces();
  EXPECT_EQ(m.add(), CL_COMPLETE);
  std::vector<std::thread> readers;
  std::atomic<int> right{0};
  for (int i = 0; i < 12; ++i)
    readers.emplace_back([&] {
      std::vector<std::byte> seen(m.kBytes);
      if (read_bytes(*m.y, 0, seen.data(), m.kBytes) &&
          std::memcmp(seen.data(), std::vector<std::uint32_t>(m.values.size(), 42).data(), m.kBytes) == 0)
        ++right;
    });
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(right.load(), 12);
}

TEST(Split, ManyBytesThatOneDeviceCannotTakeGoToTheOther) {
  Many m;
  m.fakes[1]->fail_writes = 1;
  EXPECT_EQ(m.add(), CL_COMPLETE);
  EXPECT_EQ(contents(m, m.y), std::vector<std::uint32_t>(m.values.size(), 42));
}

TEST(Split, ManyBytesThatDoNotComeAreToldOf) {
  Many m;
  for (const auto& fake : m.fakes) fake->lend_pinned_pieces();
  EXPECT_EQ(m.add(), CL_COMPLETE);
  m.fakes[0]->fail_reads = m.fakes[1]->fail_reads = 3;
  std::vector<std::uint32_t> seen(m.values.size());
  const HostBox box{reinterpret_cast<std::byte*>(seen.data()), 0, 0};
  const auto reading =
      m.queue->enqueue(CL_COMMAND_READ_BUFFER, make_read(m.y, RectRegion::linear(0, m.kBytes), box), {});
  const bool ended_well = reading->wait() == CL_COMPLETE;
  EXPECT_TRUE(!ended_well || seen == std::vector<std::uint32_t>(m.values.size(), 42));
  m.fakes[0]->fail_reads = m.fakes[1]->fail_reads = 0;
  EXPECT_EQ(contents(m, m.y), std::vector<std::uint32_t>(m.values.size(), 42));
}

TEST(Split, RepeatedLaunchesMoveNothingMore) {
  FakeMachine m({true, true, true});
  Buffers b(m);
  const auto x = ramp(), y = ramp();
  m.write(b.x, 0, x.data(), b.x->bytes());
  m.write(b.y, 0, y.data(), b.y->bytes());
  const auto kernel = m.kernel(axpy_traits());
  const auto sent = [&] {
    std::uint64_t bytes = 0;
    for (const auto& fake : m.fakes) bytes += fake->counters.bytes_to + fake->counters.bytes_from;
    return bytes;
  };
  m.launch(kernel, line(kItems, 32), {whole(b.y), whole(b.x), value_of(1u)})->wait();
  const std::uint64_t once = sent();
  for (int i = 0; i < 20; ++i) m.launch(kernel, line(kItems, 32), {whole(b.y), whole(b.x), value_of(1u)});
  m.queue->finish();
  EXPECT_EQ(sent(), once);
  const auto result = contents(m, b.y);
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(result[i], 22 * i);
}

TEST(Split, HalosAloneMoveBetweenStencilSteps) {
  FakeMachine m({true, true});
  Buffers b(m);
  const auto x = ramp();
  m.write(b.x, 0, x.data(), b.x->bytes());
  const auto kernel = m.kernel(stencil_traits());
  const auto step = [&](const auto& from, const auto& to) {
    m.launch(kernel, line(kItems, 32), {whole(to), whole(from), value_of(static_cast<std::uint32_t>(kItems))})->wait();
  };
  step(b.x, b.y);
  std::array<std::uint64_t, 2> to{m.fakes[0]->counters.bytes_to, m.fakes[1]->counters.bytes_to};
  step(b.y, b.x);
  EXPECT_EQ(m.fakes[0]->counters.bytes_to - to[0], 4u);
  EXPECT_EQ(m.fakes[1]->counters.bytes_to - to[1], 4u);
  EXPECT_EQ(m.fakes[0]->counters.bytes_from, 4u);
  EXPECT_EQ(m.fakes[1]->counters.bytes_from, 4u);
}

TEST(Split, UnknownWritesAreJoinedByDifference) {
  FakeMachine m({true, false, true});
  Buffers b(m);
  std::vector<std::uint32_t> index(kItems);
  for (std::uint32_t i = 0; i < kItems; ++i) index[i] = (i * 389) % kItems;
  const auto y = ramp(5000);
  m.write(b.x, 0, index.data(), b.x->bytes());
  m.write(b.y, 0, y.data(), b.y->bytes());
  EXPECT_EQ(m.launch(m.kernel(scatter_traits()), line(kItems / 2, 16), {whole(b.y), whole(b.x)})->wait(), CL_COMPLETE);
  auto expected = y;
  for (std::uint32_t i = 0; i < kItems / 2; ++i) expected[index[i]] = i + 1;
  EXPECT_EQ(contents(m, b.y), expected);
  for (const auto& fake : m.fakes) EXPECT_GT(fake->counters.groups, 0u);
}

TEST(Split, BytesThatAKernelLeavesAloneSurvive) {
  FakeMachine m({true, true});
  Buffers b(m);
  const auto x = ramp(), y = ramp(100000);
  m.write(b.x, 0, x.data(), b.x->bytes());
  m.write(b.y, 0, y.data(), b.y->bytes());
  m.launch(m.kernel(odd_traits()), line(kItems, 16), {whole(b.y), whole(b.x)})->wait();
  const auto result = contents(m, b.y);
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(result[i], i % 2 == 1 ? i + 1 : i + 100000);
}

TEST(Split, NeverWrittenBytesAreZeroOnEveryDeviceAndNotTransferred) {
  FakeMachine m({true, true});
  Buffers b(m);
  const auto x = ramp();
  m.write(b.x, 0, x.data(), b.x->bytes());
  m.launch(m.kernel(odd_traits()), line(kItems, 16), {whole(b.y), whole(b.x)})->wait();
  for (const auto& fake : m.fakes) {
    EXPECT_EQ(fake->counters.bytes_to, kItems * 2);
    EXPECT_GT(fake->counters.fills, 0u);
  }
  const auto result = contents(m, b.y);
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(result[i], i % 2 == 1 ? i + 1 : 0);
}

TEST(Split, DevicesInHostMemoryWorkInPlace) {
  FakeMachine m({false, false});
  Buffers b(m);
  const auto x = ramp(), y = ramp();
  m.write(b.x, 0, x.data(), b.x->bytes());
  m.write(b.y, 0, y.data(), b.y->bytes());
  m.launch(m.kernel(axpy_traits()), line(kItems, 64), {whole(b.y), whole(b.x), value_of(2u)})->wait();
  EXPECT_EQ(contents(m, b.y)[kItems - 1], 3 * (kItems - 1));
  for (const auto& fake : m.fakes) {
    EXPECT_EQ(fake->counters.groups, 8u);
    EXPECT_EQ(fake->counters.bytes_to + fake->counters.bytes_from, 0u);
  }
}

TEST(Split, AnInPlaceSliceWaitsForUploadsOfTheBytesItOverwrites) {
  // y[index[i]] = i in host memory while a discrete device still has to be sent y: the same pre-image for both.
  for (int round = 0; round < 50; ++round) {
    FakeMachine m({false, true});
    Buffers b(m);
    std::vector<std::uint32_t> index(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) index[i] = kItems - 1 - i;
    const auto y = ramp(9000);
    m.write(b.x, 0, index.data(), b.x->bytes());
    m.write(b.y, 0, y.data(), b.y->bytes());
    m.launch(m.kernel(scatter_traits()), line(kItems, 64), {whole(b.y), whole(b.x)})->wait();
    const auto result = contents(m, b.y);
    for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(result[i], kItems - i) << "round " << round;
  }
}

TEST(Split, AliasedArgumentsAreOneRoot) {
  FakeMachine m({true, true});
  Buffers b(m);
  const auto y = ramp(1);
  m.write(b.y, 0, y.data(), b.y->bytes());
  // y[i] += 4·y[i]
  m.launch(m.kernel(axpy_traits()), line(kItems, 64), {whole(b.y), whole(b.y), value_of(4u)})->wait();
  const auto result = contents(m, b.y);
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(result[i], 5 * (i + 1));
}

TEST(Split, SlicesThatAllFailFailTheLaunchAndKeepItsInputs) {
  FakeMachine m({true, true});
  Buffers b(m);
  const auto x = ramp(), y = ramp();
  m.write(b.x, 0, x.data(), b.x->bytes());
  m.write(b.y, 0, y.data(), b.y->bytes());
  for (const auto& fake : m.fakes) fake->fail_runs = 1;
  EXPECT_EQ(m.launch(m.kernel(axpy_traits()), line(kItems, 64), {whole(b.y), whole(b.x), value_of(2u)})->wait(),
            CL_OUT_OF_RESOURCES);
  EXPECT_EQ(contents(m, b.x), x);
  // What is enqueued afterwards runs.
  m.write(b.y, 0, y.data(), b.y->bytes());
  EXPECT_EQ(m.launch(m.kernel(axpy_traits()), line(kItems, 64), {whole(b.y), whole(b.x), value_of(2u)})->wait(),
            CL_COMPLETE);
  EXPECT_EQ(contents(m, b.y)[10], 30u);
}

TEST(Split, AForcedRungIsTakenWhereACheaperOneWouldDo) {
  FakeMachine m({true, true});
  Buffers b(m);
  const auto x = ramp(), y = ramp();
  const auto kernel = m.kernel(axpy_traits());
  for (const char* rung : {"diff", "reduce"}) {
    m.machine.settings.rungs = *domain::parse_rungs(rung);
    m.write(b.x, 0, x.data(), b.x->bytes());
    m.write(b.y, 0, y.data(), b.y->bytes());
    // Of another shape each time: decisions are remembered by shape.
    const std::uint64_t local = rung[0] == 'd' ? 64 : 32;
    m.launch(kernel, line(kItems, local), {whole(b.y), whole(b.x), value_of(2u)})->wait();
    EXPECT_EQ(contents(m, b.y)[10], 30u);
  }
  const std::string stats = m.machine.observer->stats_json();
  EXPECT_NE(stats.find("\"diff\":1"), std::string::npos) << stats;
  EXPECT_NE(stats.find("\"unmergeable\":1"), std::string::npos) << stats;
}

TEST(Split, VerificationFindsNothingWrongAndChangesNothing) {
  FakeMachine m({true, false});
  m.machine.settings.verify = true;
  Buffers b(m);
  const auto x = ramp(), y = ramp();
  m.write(b.x, 0, x.data(), b.x->bytes());
  m.write(b.y, 0, y.data(), b.y->bytes());
  m.launch(m.kernel(axpy_traits()), line(kItems, 64), {whole(b.y), whole(b.x), value_of(2u)})->wait();
  EXPECT_EQ(contents(m, b.y)[10], 30u);
  const std::string stats = m.machine.observer->stats_json();
  EXPECT_NE(stats.find("\"mismatches\":0"), std::string::npos) << stats;
  EXPECT_NE(stats.find("\"verify\":{\"launches\":1,"), std::string::npos) << stats;
}

TEST(Whole, SpinningKernelsGoToAGpu) {
  FakeMachine m({true, true});
  m.fakes[1]->set_kind(DeviceKind::gpu);
  Buffers b(m);
  auto traits = axpy_traits();
  traits.facts |= domain::kFactSpinning;
  m.launch(m.kernel(traits), line(kItems, 64), {whole(b.y), whole(b.x), value_of(1u)})->wait();
  EXPECT_EQ(m.fakes[0]->counters.runs, 0u);
  EXPECT_EQ(m.fakes[1]->counters.groups, kItems / 64);
}

TEST(Whole, AKernelWithProgramScopeVariablesStaysOnOneDevice) {
  FakeMachine m({true, true}, "auto");
  Buffers b(m);
  const auto x = ramp();
  m.write(b.x, 0, x.data(), b.x->bytes());
  auto traits = axpy_traits();
  traits.facts |= domain::kFactMutableProgramScope;
  const auto kernel = m.kernel(traits);
  const auto range = line(kItems, 64);
  m.launch(kernel, range, {whole(b.y), whole(b.x), value_of(1u)})->wait();
  for (int i = 0; i < 8; ++i) {  // another device turns out to be faster
    m.machine.model->learn({kernel->id(), 0, range, {0, range.group_total()}, 900'000'000, false});
    m.machine.model->learn({kernel->id(), 1, range, {0, range.group_total()}, 1'000, false});
  }
  m.launch(kernel, range, {whole(b.y), whole(b.x), value_of(1u)})->wait();
  EXPECT_EQ(m.fakes[0]->counters.runs, 2u);
  EXPECT_EQ(m.fakes[1]->counters.runs, 0u);
}

TEST(Whole, PipelinedLaunchesChainOnOneDeviceWithoutWaiting) {
  FakeMachine m({true, true}, "single");
  Buffers b(m);
  const auto x = ramp(), y = ramp();
  m.write(b.x, 0, x.data(), b.x->bytes());
  m.write(b.y, 0, y.data(), b.y->bytes());
  const auto kernel = m.kernel(axpy_traits());
  for (int i = 0; i < 500; ++i) m.launch(kernel, line(kItems, 64), {whole(b.y), whole(b.x), value_of(1u)});
  m.queue->finish();
  EXPECT_EQ(contents(m, b.y)[3], 501u * 3);
  EXPECT_EQ(m.fakes[1]->counters.runs, 0u);
  EXPECT_EQ(m.fakes[0]->counters.bytes_to, 2 * kItems * 4);
}

}  // namespace
}  // namespace skmd::icd::test
