// SPDX-License-Identifier: Apache-2.0
// Commands of several queues that use one buffer side by side, as far as estimated footprints show.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "intercept/launch/make_launch.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 1024;
using Words = std::vector<std::uint32_t>;

/// y[i] = x[i & 511], which footprints take for any of x.
domain::KernelTraits look_traits() {
  TraitsBuilder b("look");
  b.buffer().buffer();
  b.access(domain::AccessKind::write, 0, b.global_id(0), 4).access(domain::AccessKind::read, 1, b.unknown(), 4);
  return b.take();
}

/// x[i] = i
domain::KernelTraits number_traits() {
  TraitsBuilder b("number");
  b.buffer();
  b.access(domain::AccessKind::write, 0, b.global_id(0), 4);
  return b.take();
}

struct World : FakeMachine {
  World() : FakeMachine({true}, "single") {
    fakes[0]->add_bodies({{"look",
                           [](const auto& a, const auto& id) {
                             a[0].template as<std::uint32_t>()[id[0]] = a[1].template as<std::uint32_t>()[id[0] & 511];
                           }},
                          {"number", [](const auto& a, const auto& id) {
                             a[0].template as<std::uint32_t>()[id[0]] = static_cast<std::uint32_t>(id[0]);
                           }}});
  }
};

TEST(Order, UploadsOfALaunchDoNotCoverWhatALaterOneHasWritten) {
  World w;
  const auto x = w.storage(kItems * 4);
  const auto y = w.storage(kItems * 4);
  const Words old(kItems, 9999);
  w.write(x, 0, old.data(), old.size() * 4);
  const auto other =
      make_object<Queue>(w.context, cl_command_queue_properties{0}, std::vector<cl_queue_properties>{}, w.executor);
  const domain::NdRange upper{1, {kItems / 2, 0, 0}, {kItems / 2, 1, 1}, {64, 1, 1}};
  Ref<Event> second;
  // The first launch has decided that all of x is to be sent, and has not sent it yet.
  bool first_submission = true;
  w.fakes[0]->on_submit = [&] {
    if (!std::exchange(first_submission, false)) return;
    std::thread([&] {
      auto command = make_launch(w.machine, {w.kernel(number_traits()), upper, {whole(x)}});
      ASSERT_TRUE(command.ok());
      second = other->enqueue(CL_COMMAND_NDRANGE_KERNEL, *command, {});
    }).join();
  };
  const auto first = w.launch(w.kernel(look_traits()), line(kItems, 64), {whole(y), whole(x)});
  EXPECT_EQ(first->wait(), CL_COMPLETE);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->wait(), CL_COMPLETE);
  w.fakes[0]->on_submit = nullptr;
  Words seen(kItems);
  w.read(x, 0, seen.data(), seen.size() * 4);
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(seen[i], i < kItems / 2 ? 9999 : i) << i;
}

TEST(Order, WhatNeedsNoBytesDoesNotWaitForThoseThatDo) {
  FakeMachine m({true, false});
  const auto x = m.storage(kItems * 4), y = m.storage(kItems * 4);
  const Words ones(kItems, 1);
  m.write(x, 0, ones.data(), kItems * 4);
  m.write(y, 0, ones.data(), kItems * 4);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < m.fakes.size(); ++i) m.fakes[i]->on_submit = [&order, i] { order.push_back(i); };
  EXPECT_EQ(m.launch(m.kernel(axpy_traits()), line(kItems, 64), {whole(y), whole(x), value_of(3u)})->wait(),
            CL_COMPLETE);
  for (const auto& fake : m.fakes) fake->on_submit = nullptr;
  ASSERT_EQ(order.size(), 2u);
  EXPECT_EQ(order.front(), 1u) << "a driver may take its time over the other's bytes";
}

}  // namespace
}  // namespace skmd::icd::test
