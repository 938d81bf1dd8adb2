// SPDX-License-Identifier: Apache-2.0
// Large writes between launches that are split alike: each device gets its share of the bytes, and host memory none.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "intercept/command/transfer.h"
#include "intercept/launch/users.h"
#include "intercept/object/kernel.h"
#include "partitioner/base/mutex.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{2} << 20;
constexpr std::uint64_t kItems = kBytes / 4;
using Words = std::vector<std::uint32_t>;

struct World : FakeMachine {
  explicit World(const std::vector<bool>& discrete = {true, true}, const std::string& policy = "equal")
      : FakeMachine(discrete, policy), x(filled(3)), y(filled(0)) {}
  std::shared_ptr<Storage> filled(std::uint32_t value) {
    auto made = storage(kBytes);
    write_words(made, 0, Words(kItems, value));
    return made;
  }
  void write_words(const std::shared_ptr<Storage>& to, std::uint64_t first, Words words) {
    const HostBox box{reinterpret_cast<std::byte*>(words.data()), 0, 0};
    auto command = make_write(to, RectRegion::linear(first * 4, words.size() * 4), box);
    EXPECT_EQ(queue->enqueue(CL_COMMAND_WRITE_BUFFER, std::move(command), {})->wait(), CL_COMPLETE);
  }
  Words contents(const std::shared_ptr<Storage>& from, std::uint64_t first = 0, std::uint64_t count = kItems) {
    Words words(count);
    read(from, first * 4, words.data(), count * 4);
    return words;
  }
  cl_int axpy(const std::shared_ptr<Storage>& to, const std::shared_ptr<Storage>& from) {
    return launch(add, line(kItems, 64), {whole(to), whole(from), value_of(1u)})->wait();
  }
  cl_int sums(const std::shared_ptr<Storage>& to, const std::shared_ptr<Storage>& from) {
    return launch(stencil, line(kItems, 64), {whole(to), whole(from), value_of(static_cast<std::uint32_t>(kItems))})
        ->wait();
  }
  std::uint64_t sent(std::size_t device) { return fakes[device]->counters.bytes_to.exchange(0); }
  domain::SpaceMask spaces(const std::shared_ptr<Storage>& of, std::uint64_t item) {
    const MutexGuard lock(of->mutex());
    return of->residency().pieces(domain::ByteRange{item * 4, item * 4 + 4}).front().valid;
  }
  std::shared_ptr<BuiltKernel> add = kernel(axpy_traits()), stencil = kernel(stencil_traits());
  std::shared_ptr<Storage> x, y;
};

TEST(Shares, ALargeWriteGoesToTheDevicesThatReadItTwice) {
  World w;
  ASSERT_EQ(w.axpy(w.y, w.x), CL_COMPLETE);
  w.sent(0), w.sent(1);
  w.write_words(w.x, 0, Words(kItems, 5));
  EXPECT_EQ(w.sent(0) + w.sent(1), 0u) << "one launch is no habit";
  ASSERT_EQ(w.axpy(w.y, w.x), CL_COMPLETE);
  w.sent(0), w.sent(1);
  w.write_words(w.x, 0, Words(kItems, 7));
  EXPECT_EQ(w.sent(0), kBytes / 2);
  EXPECT_EQ(w.sent(1), kBytes / 2);
  EXPECT_EQ(w.spaces(w.x, 0), 1u << 1);
  EXPECT_EQ(w.spaces(w.x, kItems - 1), 1u << 2);
  ASSERT_EQ(w.axpy(w.y, w.x), CL_COMPLETE);
  EXPECT_EQ(w.sent(0) + w.sent(1), 0u) << "it is there";
  EXPECT_EQ(w.contents(w.y), Words(kItems, 15));
  EXPECT_EQ(w.contents(w.x), Words(kItems, 7));
}

constexpr std::uint64_t kRows = 8;
/// Reads, and so needs, the items of its column of `kRows` rows of x, which has so many items.
domain::KernelTraits rows_traits(std::uint64_t x_items = kItems) {
  TraitsBuilder b("axpy");
  b.buffer().buffer().value(4);
  const domain::NodeId i = b.global_id(0);
  b.access(domain::AccessKind::read, 0, i, 4).access(domain::AccessKind::write, 0, i, 4);
  for (std::uint64_t row = 0; row < kRows; ++row) {
    const domain::NodeId first = b.constant(static_cast<std::int64_t>(row * x_items / kRows));
    b.access(domain::AccessKind::read, 1, b.op(domain::Op::add, i, first), 4);
  }
  return b.take();
}

TEST(Shares, HaveRowsIfTheseAreLong) {
  World w;
  const auto rows = w.kernel(rows_traits());
  const auto run = [&](std::uint64_t items) {
    for (int i = 0; i < 3; ++i) {
      w.write_words(w.x, 0, Words(kItems, 3));
      ASSERT_EQ(w.launch(rows, line(items, 64), {whole(w.y), whole(w.x), value_of(1u)})->wait(), CL_COMPLETE);
    }
    w.sent(0), w.sent(1);
  };
  run(kItems / kRows);
  w.write_words(w.x, 0, Words(kItems, 7));
  EXPECT_EQ(w.sent(0), kBytes / 2);
  EXPECT_EQ(w.sent(1), kBytes / 2);
  EXPECT_EQ(w.spaces(w.x, kItems / kRows), 1u << 1);
  EXPECT_EQ(w.spaces(w.x, 2 * kItems / kRows - 1), 1u << 2);
  EXPECT_EQ(w.contents(w.x), Words(kItems, 7));
  run(128);
  w.write_words(w.x, 0, Words(kItems, 9));
  EXPECT_EQ(w.sent(0) + w.sent(1), 0u) << "rows of 256 bytes";
  EXPECT_EQ(w.contents(w.x), Words(kItems, 9));
}

// Several threads copy the host's rows.
TEST(Shares, RowsOfManyMegabytesAreWrittenToTheHostsMemory) {
  constexpr std::uint64_t kMany = kItems * kRows * 4;  // a launch of kItems needs a quarter of each row
  World w({true, false});
  const auto rows = w.kernel(rows_traits(kMany));
  const auto x = w.storage(kMany * 4);
  Words words(kMany);
  for (std::uint32_t round = 1; round <= 4; ++round) {
    for (std::uint64_t i = 0; i < kMany; ++i) words[i] = static_cast<std::uint32_t>(i) * round;
    w.sent(0);
    w.write_words(x, 0, words);
    EXPECT_EQ(w.sent(0), round == 4 ? kRows * kItems / 2 * 4 : 0) << round;
    if (round == 4) break;
    ASSERT_EQ(w.launch(rows, line(kItems, 64), {whole(w.y), whole(x), value_of(1u)})->wait(), CL_COMPLETE);
  }
  EXPECT_EQ(w.contents(x, 0, kMany), words);
}

TEST(Shares, WhatADeviceAndTheHostReadIsWrittenToBoth) {
  World w({true, false});
  for (int i = 0; i < 2; ++i) ASSERT_EQ(w.sums(w.y, w.x), CL_COMPLETE);
  Words words(kItems);
  for (std::uint64_t i = 0; i < kItems; ++i) words[i] = static_cast<std::uint32_t>(i * i);
  w.write_words(w.x, 0, words);
  const std::uint64_t edge = kItems / 2;  // of the slices
  EXPECT_EQ(w.spaces(w.x, 0), 1u << 1);
  EXPECT_EQ(w.spaces(w.x, edge), 1u | (1u << 1));
  EXPECT_EQ(w.spaces(w.x, kItems - 1), 1u);
  w.fakes[0]->counters.bytes_from = w.fakes[0]->counters.bytes_to = 0;
  ASSERT_EQ(w.sums(w.y, w.x), CL_COMPLETE);
  EXPECT_EQ(w.fakes[0]->counters.bytes_from, 0u);
  EXPECT_EQ(w.fakes[0]->counters.bytes_to, 0u);
  EXPECT_EQ(w.contents(w.x), words);
  const Words sums = w.contents(w.y);
  EXPECT_EQ(sums[edge], w.contents(w.x)[edge - 1] + w.contents(w.x)[edge] + w.contents(w.x)[edge + 1]);
}

TEST(Shares, NoDeviceGetsWhatTheLastLaunchReadInHostMemory) {
  World w({true, true, false}, "fixed:50,50,0");
  for (int i = 0; i < 2; ++i) ASSERT_EQ(w.axpy(w.y, w.x), CL_COMPLETE);
  EXPECT_EQ(w.x->usage().likely_shares().size(), 2u);
  w.machine.settings.policy = *domain::parse_policy("fixed:0,0,100", 3);
  ASSERT_EQ(w.sums(w.y, w.x), CL_COMPLETE);
  EXPECT_TRUE(w.x->usage().likely_shares().empty());
  w.sent(0), w.sent(1);
  w.write_words(w.x, 0, Words(kItems, 5));
  EXPECT_EQ(w.sent(0) + w.sent(1), 0u);
  EXPECT_EQ(w.spaces(w.x, 0), 1u);
}

TEST(Shares, WhatSeveralDevicesReadIsOnAllOfThem) {
  World w({true, true, true});
  for (int i = 0; i < 2; ++i) ASSERT_EQ(w.sums(w.y, w.x), CL_COMPLETE);
  Words words(kItems);
  for (std::uint64_t i = 0; i < kItems; ++i) words[i] = static_cast<std::uint32_t>(i);
  w.write_words(w.x, 0, words);
  const std::uint64_t edge = w.fakes[0]->counters.groups / 2 * 64;  // of the first slice and the second
  EXPECT_EQ(w.spaces(w.x, edge), (1u << 1) | (1u << 2));
  ASSERT_EQ(w.sums(w.y, w.x), CL_COMPLETE);
  const Words sums = w.contents(w.y);
  for (std::uint64_t i = 1; i + 1 < kItems; ++i) ASSERT_EQ(sums[i], 3 * i);
}

TEST(Shares, WhatNobodyReadsStaysInHostMemory) {
  World w;
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(w.launch(w.add, line(kItems / 4, 64), {whole(w.y), whole(w.x), value_of(1u)})->wait(), CL_COMPLETE);
  w.write_words(w.x, 0, Words(kItems, 7));
  EXPECT_EQ(w.spaces(w.x, 0), 1u << 1);
  EXPECT_EQ(w.spaces(w.x, kItems / 4 - 1), 1u << 2);
  EXPECT_EQ(w.spaces(w.x, kItems / 4), 1u);
  EXPECT_EQ(w.contents(w.x), Words(kItems, 7));
}

TEST(Shares, OfADeviceInHostMemoryAreThere) {
  World w({true, false});
  for (int i = 0; i < 2; ++i) ASSERT_EQ(w.axpy(w.y, w.x), CL_COMPLETE);
  w.write_words(w.x, 0, Words(kItems, 7));
  EXPECT_EQ(w.spaces(w.x, 0), 1u << 1);
  EXPECT_EQ(w.spaces(w.x, kItems - 1), 1u);
  ASSERT_EQ(w.axpy(w.y, w.x), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), Words(kItems, 13));
}

TEST(Shares, AWriteThatOneDeviceRefusesGoesToHostMemory) {
  World w;
  for (int i = 0; i < 2; ++i) ASSERT_EQ(w.axpy(w.y, w.x), CL_COMPLETE);
  w.fakes[1]->fail_writes = 1;
  w.write_words(w.x, 0, Words(kItems, 7));
  EXPECT_EQ(w.spaces(w.x, 0), 1u);
  EXPECT_EQ(w.spaces(w.x, kItems - 1), 1u);
  EXPECT_EQ(w.contents(w.x), Words(kItems, 7));
  ASSERT_EQ(w.axpy(w.y, w.x), CL_COMPLETE);
  EXPECT_EQ(w.contents(w.y), Words(kItems, 13));
}

TEST(Shares, AreThoseOfLaunchesThatReadTheBuffer) {
  World w;
  for (int pair = 0; pair < 2; ++pair) {  // each step's output is the next one's input
    ASSERT_EQ(w.sums(w.y, w.x), CL_COMPLETE);
    ASSERT_EQ(w.sums(w.x, w.y), CL_COMPLETE);
  }
  w.sent(0), w.sent(1);
  w.write_words(w.x, 0, Words(kItems, 7));
  EXPECT_EQ(w.sent(0), kBytes / 2 + 4) << "with the neighbour's border";
  EXPECT_EQ(w.sent(1), kBytes / 2 + 4);
  ASSERT_EQ(w.sums(w.y, w.x), CL_COMPLETE);
  EXPECT_EQ(w.sent(0) + w.sent(1), 0u);
  EXPECT_EQ(w.contents(w.y), Words(kItems, 21));
}

TEST(Shares, EndWithALaunchThatIsSplitOtherwise) {
  World w;
  for (int i = 0; i < 2; ++i) ASSERT_EQ(w.axpy(w.y, w.x), CL_COMPLETE);
  ASSERT_EQ(w.sums(w.y, w.x), CL_COMPLETE);
  w.sent(0), w.sent(1);
  w.write_words(w.x, 0, Words(kItems, 7));
  EXPECT_EQ(w.sent(0) + w.sent(1), 0u);
}

// A third device is tried: where the next launch needs what is written next does not follow from that.
TEST(Shares, StayWhatTheyAreWhileAnotherDeviceIsTried) {
  World w({true, true, true}, "fixed:50,50,0");
  for (int i = 0; i < 2; ++i) ASSERT_EQ(w.axpy(w.y, w.x), CL_COMPLETE);
  const Launch launch{w.add, line(kItems, 64), {whole(w.y), whole(w.x), value_of(1u)}};
  const LaunchView view(w.machine, launch);
  const auto explore = [&](std::vector<std::uint64_t> groups) {
    Decision decision;
    decision.exploring = true;
    std::uint64_t first = 0;
    for (std::uint32_t device = 0; device < groups.size(); ++device) {
      const domain::GroupSpan span{first, first += groups[device]};
      decision.slices.push_back({device, span, view.shape().footprint(span)});
    }
    tell_users(w.machine, view, decision);
  };
  const auto sent = [&w] {
    for (const auto& fake : w.fakes) fake->counters.bytes_to = 0;
    w.write_words(w.x, 0, Words(kItems, 5));
    std::vector<std::uint64_t> bytes;
    for (const auto& fake : w.fakes) bytes.push_back(fake->counters.bytes_to);
    return bytes;
  };
  const std::uint64_t all = kItems / 64;
  explore({all / 2 - all / 16, all / 2 - all / 16, all / 8});
  EXPECT_EQ(sent(), (std::vector<std::uint64_t>{kBytes / 2, kBytes / 2, 0}));
  explore({all / 16, all / 16, all - all / 8});
  EXPECT_EQ(sent(), (std::vector<std::uint64_t>{0, 0, kBytes})) << "one device runs it, and two are tried";
}

TEST(Shares, AnyWritesBetweenAnyLaunchesGiveWhatArraysWouldHold) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    World w(seed % 3 == 0 ? std::vector<bool>{true, true, true} : std::vector<bool>{true, seed % 3 == 1});
    std::vector<std::shared_ptr<Storage>> buffers{w.x, w.y};
    std::vector<Words> arrays{Words(kItems, 3), Words(kItems, 0)};
    for (int step = 0; step < 24; ++step) {
      const std::size_t a = random() % 2;
      const std::uint64_t first = random() % (kItems / 2 - 1);
      const std::uint64_t count = kItems / 2 + 1 + random() % (kItems / 2 - first);
      switch (random() % 4) {
        case 0:
        case 1: {  // mostly alike, so that there are shares
          const std::size_t to = random() % 4 == 0 ? a : 1;
          ASSERT_EQ(w.axpy(buffers[to], buffers[1 - to]), CL_COMPLETE);
          for (std::uint64_t i = 0; i < kItems; ++i) arrays[to][i] += arrays[1 - to][i];
          break;
        }
        case 2: {
          Words words(count);
          std::generate(words.begin(), words.end(), [&] { return static_cast<std::uint32_t>(random()); });
          FakeDevice& device = *w.fakes[random() % w.fakes.size()];
          device.fail_writes = random() % 3 == 0 ? 1 : 0;
          w.write_words(buffers[a], first, words);
          device.fail_writes = 0;
          std::copy(words.begin(), words.end(), arrays[a].begin() + static_cast<std::ptrdiff_t>(first));
          break;
        }
        default: {
          const auto begin = arrays[a].begin() + static_cast<std::ptrdiff_t>(first);
          ASSERT_EQ(w.contents(buffers[a], first, count), Words(begin, begin + static_cast<std::ptrdiff_t>(count)));
        }
      }
    }
    for (std::size_t i = 0; i < 2; ++i) ASSERT_EQ(w.contents(buffers[i]), arrays[i]) << i;
  }
}

}  // namespace
}  // namespace skmd::icd::test
