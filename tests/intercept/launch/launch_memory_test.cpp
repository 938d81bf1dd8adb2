// SPDX-License-Identifier: Apache-2.0
// Launches that find no host memory on their way to a device.
#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <vector>

#include "intercept/command/transfer.h"
#include "intercept/launch/frozen_launch.h"
#include "intercept/launch/make_launch.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "tests/intercept/launch/allocation_counter.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint32_t kItems = 256;
constexpr std::uint64_t kBytes = kItems * 4;
// More than the way takes.
constexpr std::size_t kMax = 60;
using Words = std::vector<std::uint32_t>;

struct World : FakeMachine {
  World() : FakeMachine({true}, "single"), x(filled(1)), y(filled(5)), axpy(kernel(axpy_traits())) {}
  std::shared_ptr<Storage> filled(std::uint32_t value) {
    auto made = storage(kBytes);
    write(made, 0, Words(kItems, value).data(), kBytes);
    return made;
  }
  std::shared_ptr<const FrozenLaunch> frozen() {
    return std::make_shared<const FrozenLaunch>(machine,
                                                Launch{axpy, line(kItems, 64), {whole(y), whole(x), value_of(2u)}});
  }
  /// Empty: the call failed for want of memory.
  std::optional<Ref<Event>> enqueue(const std::shared_ptr<const Launch>& launch, std::size_t failing,
                                    std::size_t count) {
    auto command = repeat_launch(machine, std::shared_ptr<const Launch>(launch), false);
    std::optional<Ref<Event>> event;
    fail_allocation(failing, count);
    try {
      event = queue->enqueue(CL_COMMAND_NDRANGE_KERNEL, std::move(command), {});
    } catch (const std::bad_alloc&) {
    }
    fail_allocation(0);
    if (event) (*event)->wait();
    queue->finish();
    return event;
  }
  Words contents() {
    Words seen(kItems);
    read(y, 0, seen.data(), kBytes);
    return seen;
  }
  std::shared_ptr<Storage> x, y;
  std::shared_ptr<BuiltKernel> axpy;
};

/// How many allocations fail one after the other.
class WithoutMemory : public testing::TestWithParam<std::size_t> {};

TEST_P(WithoutMemory, ALaunchThatWasNotEnqueuedHoldsNothing) {
  std::size_t refused = 0;
  std::size_t enqueued = 0;
  for (std::size_t failing = 1; failing <= kMax; ++failing) {
    World w;
    auto launch = w.frozen();
    const bool taken = w.enqueue(launch, failing, GetParam()).has_value();
    ++(taken ? enqueued : refused);
    EXPECT_TRUE(RangeLock::try_take(launch->claims(), nullptr)) << "allocation " << failing;
    const std::weak_ptr<const Launch> left = launch;
    launch = nullptr;
    EXPECT_TRUE(taken || left.expired()) << "allocation " << failing;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(enqueued, 0u);
}

TEST_P(WithoutMemory, ALaunchThatWasNotEnqueuedChangesNoBytes) {
  for (const bool looked_at : {true, false}) {
    for (std::size_t failing = 1; failing <= kMax; ++failing) {
      World w;
      const std::uint32_t expected = w.enqueue(w.frozen(), failing, GetParam()) ? 7 : 5;
      if (looked_at) {
        EXPECT_EQ(w.contents(), Words(kItems, expected)) << "allocation " << failing;
      }
      EXPECT_TRUE(w.enqueue(w.frozen(), 0, 0));
      EXPECT_EQ(w.contents(), Words(kItems, expected + 2)) << "allocation " << failing;
    }
  }
}

TEST_P(WithoutMemory, ALaunchThatItsDeviceDidNotTakeIsAsIfItHadNeverBeen) {
  for (const bool resident : {true, false}) {
    World w;
    std::uint32_t expected = 5;
    if (resident) expected += w.enqueue(w.frozen(), 0, 0) ? 2 : 0;
    auto launch = w.frozen();
    w.fakes[0]->on_submit = [] {
      fail_allocation(1, GetParam());
      throw std::bad_alloc();
    };
    EXPECT_FALSE(w.enqueue(launch, 0, 0));
    w.fakes[0]->on_submit = nullptr;
    ASSERT_TRUE(RangeLock::try_take(launch->claims(), nullptr));
    const std::weak_ptr<const Launch> left = launch;
    launch = nullptr;
    EXPECT_TRUE(left.expired());
    EXPECT_EQ(w.contents(), Words(kItems, expected));
    EXPECT_TRUE(w.enqueue(w.frozen(), 0, 0));
    EXPECT_EQ(w.contents(), Words(kItems, expected + 2));
  }
}

TEST_P(WithoutMemory, WhatALaunchWasToReplaceIsThereWhenItWasNotTaken) {
  World w;
  TraitsBuilder traits("set");
  traits.buffer();
  traits.access(domain::AccessKind::write, 0, traits.global_id(0), 4);
  w.fakes[0]->add_bodies(
      {{"set", [](const auto& a, const auto& id) { a[0].template as<std::uint32_t>()[id[0]] = 9; }}});
  const auto launch =
      std::make_shared<const FrozenLaunch>(w.machine, Launch{w.kernel(traits.take()), line(kItems, 64), {whole(w.y)}});
  w.fakes[0]->on_submit = [] {
    fail_allocation(1, GetParam());
    throw std::bad_alloc();
  };
  EXPECT_FALSE(w.enqueue(launch, 0, 0));
  w.fakes[0]->on_submit = nullptr;
  EXPECT_EQ(w.contents(), Words(kItems, 5));
  EXPECT_TRUE(w.enqueue(w.frozen(), 0, 0)) << "which reads them on the device";
  EXPECT_EQ(w.contents(), Words(kItems, 7));
  EXPECT_TRUE(w.enqueue(launch, 0, 0));
  EXPECT_EQ(w.contents(), Words(kItems, 9));
}

TEST(TransferWithoutMemory, OneThatFailedEndsAtTheLatestWithAnError) {
  constexpr std::uint64_t kMuch = std::uint64_t{256} << 10;
  constexpr std::size_t kRounds = 12;
  std::size_t failed = 0;
  for (std::size_t failing = 1; failing <= kRounds; ++failing) {
    FakeMachine m({true}, "single");
    const auto x = m.storage(kMuch), y = m.storage(kMuch);
    std::vector<std::byte> ones(kMuch, std::byte{1}), twos(kMuch, std::byte{2}), seen(kMuch);
    const auto write = [&](const std::shared_ptr<Storage>& to, std::vector<std::byte>& bytes) {
      to->usage().used_on(0);
      auto command = make_write(to, RectRegion::linear(0, kMuch), {bytes.data(), 0, 0});
      return m.queue->enqueue(CL_COMMAND_WRITE_BUFFER, std::move(command), {});
    };
    EXPECT_EQ(write(y, ones)->wait(), CL_COMPLETE);
    m.fakes[0]->pause();
    m.fakes[0]->fail_writes = 1;
    m.fakes[0]->on_failure = [failing] { fail_allocation(failing); };  // on the device's thread, which tells of it
    const auto writing = write(x, twos);
    auto command = make_read(y, RectRegion::linear(0, kMuch), {seen.data(), 0, 0});
    const auto reading = m.queue->enqueue(CL_COMMAND_READ_BUFFER, std::move(command), {});
    m.fakes[0]->resume();
    const cl_int status = writing->wait();
    EXPECT_TRUE(status == CL_COMPLETE || status == CL_OUT_OF_HOST_MEMORY) << status;
    failed += status == CL_COMPLETE ? 0 : 1;
    EXPECT_EQ(reading->wait(), status == CL_COMPLETE ? CL_COMPLETE : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    EXPECT_TRUE(status != CL_COMPLETE || seen == ones);
    m.queue->finish();
    m.fakes[0]->on_failure = nullptr;
    m.read(y, 0, seen.data(), kMuch);
    EXPECT_EQ(seen, ones) << "allocation " << failing;
    if (status != CL_COMPLETE) m.write(x, 0, twos.data(), kMuch);
    m.read(x, 0, seen.data(), kMuch);
    EXPECT_EQ(seen, twos) << "allocation " << failing;
  }
  EXPECT_GT(failed, 0u);
  EXPECT_LT(failed, kRounds);
}

INSTANTIATE_TEST_SUITE_P(Allocations, WithoutMemory, testing::Values(1, 2, 1000), testing::PrintToStringParamName());

}  // namespace
}  // namespace skmd::icd::test
