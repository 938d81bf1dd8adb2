// SPDX-License-Identifier: Apache-2.0
// Applications that write a buffer, launch and read, again and again: plans count all that is sent in a round, wherever
// the last plan had it sent.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "intercept/command/transfer.h"
#include "intercept/memory/rounds.h"
#include "intercept/object/kernel.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kBytes = std::uint64_t{2} << 20;
constexpr std::uint64_t kItems = kBytes / 4, kLocal = 64, kGroups = kItems / kLocal;
using Words = std::vector<std::uint32_t>;

class Application : public FakeMachine {
 public:
  explicit Application(std::uint64_t ns_per_group) : FakeMachine({true, true}, "auto") {
    for (const auto& fake : fakes) fake->times = [=](const Batch& batch) { return times_of(batch, ns_per_group); };
  }
  void write() {
    Words words(kItems, ++value_);
    const HostBox box{reinterpret_cast<std::byte*>(words.data()), 0, 0};
    auto command = make_write(x, RectRegion::linear(0, kBytes), box);
    ASSERT_EQ(queue->enqueue(CL_COMMAND_WRITE_BUFFER, std::move(command), {})->wait(), CL_COMPLETE);
    sum_ += value_;
  }
  void run() { ASSERT_EQ(launch(add, line(kItems, kLocal), {whole(y), whole(x), value_of(1u)})->wait(), CL_COMPLETE); }
  /// Groups that each device got meanwhile.
  std::vector<std::uint64_t> shares(const std::function<void()>& meanwhile) {
    std::vector<std::uint64_t> before, shares;
    for (const auto& fake : fakes) before.push_back(fake->counters.groups);
    meanwhile();
    for (std::size_t i = 0; i < fakes.size(); ++i) shares.push_back(fakes[i]->counters.groups - before[i]);
    return shares;
  }
  void expect_right() {
    Words words(kItems);
    read(y, 0, words.data(), kBytes);
    EXPECT_EQ(words, Words(kItems, sum_));
  }

  std::shared_ptr<BuiltKernel> add = kernel(axpy_traits());
  std::shared_ptr<Storage> x = storage(kBytes), y = storage(kBytes);

 private:
  std::uint32_t value_ = 0, sum_ = 0;
};

/// Nanoseconds of a group, for which sending half of the bytes from one device to the other costs more than the other
/// saves, but sending each device its half costs less than sending one of them all.
constexpr std::uint64_t kNoGainFromMoving = 49;

TEST(Rounds, WhatIsWrittenForEachLaunchIsSplitWithIt) {
  Application a(kNoGainFromMoving);
  for (int i = 0; i < 60; ++i) {  // a search has to be earned by so many short launches, and links get to be known
    a.write();
    a.run();
  }
  const auto shares = a.shares([&] {
    a.write();
    a.run();
  });
  EXPECT_NEAR(static_cast<double>(shares[0]), kGroups / 2.0, kGroups / 8.0);
  EXPECT_EQ(shares[0] + shares[1], kGroups);
  a.fakes[0]->counters.bytes_to = a.fakes[1]->counters.bytes_to = 0;
  a.write();
  EXPECT_GT(a.fakes[0]->counters.bytes_to, kBytes / 4) << "each gets its share when it is written";
  EXPECT_GT(a.fakes[1]->counters.bytes_to, kBytes / 4);
  a.run();
  EXPECT_LE(a.fakes[0]->counters.bytes_to + a.fakes[1]->counters.bytes_to, kBytes + kBytes / 16);
  a.expect_right();
}

TEST(Rounds, WhatStaysOnADeviceIsCountedWhereItIs) {
  Application a(kNoGainFromMoving);
  a.write();
  for (int i = 0; i < 20; ++i) a.run();
  EXPECT_FALSE(a.x->usage().recurs());
}

TEST(ReadBacks, TellHowManyLaunchesAreBetweenTwoReads) {
  ReadBacks reads;
  EXPECT_EQ(reads.launches_per_read(), 1u) << "nothing is known: results are read";
  for (int launch = 1; launch <= 5; ++launch) {
    reads.launched();
    EXPECT_EQ(reads.launches_per_read(), launch + 1u) << "there was no read yet";
  }
  reads.read(100, 100, true);
  EXPECT_EQ(reads.launches_per_read(), 5u);
  reads.read(100, 100, true);
  EXPECT_EQ(reads.launches_per_read(), 5u) << "a second read of the same results says nothing";
  reads.launched();
  EXPECT_EQ(reads.launches_per_read(), 5u);
  reads.read(100, 100, false);
  EXPECT_EQ(reads.launches_per_read(), 1u);
  EXPECT_FALSE(reads.copied());
}

TEST(ReadBacks, AFewBytesOfManyAreNoRead) {
  ReadBacks reads;
  for (int launch = 0; launch < 4; ++launch) {
    reads.launched();
    reads.read(4, 1000, true);
  }
  EXPECT_EQ(reads.launches_per_read(), 5u);
  for (int piece = 0; piece < 4; ++piece) reads.read(250, 1000, true);
  EXPECT_EQ(reads.launches_per_read(), 4u) << "pieces of a read add up";
  EXPECT_TRUE(reads.copied());
}

TEST(Rounds, LaunchesOfARoundAreCounted) {
  Rounds rounds;
  EXPECT_EQ(rounds.launches_per_round(), 1u);
  rounds.wrote(100);
  for (int i = 0; i < 3; ++i) rounds.launched(100);
  EXPECT_EQ(rounds.launches_per_round(), 1u) << "it has not ended";
  rounds.wrote(100);
  EXPECT_EQ(rounds.launches_per_round(), 3u);
}

TEST(Rounds, AreExpectedAfterTwo) {
  Rounds rounds;
  EXPECT_FALSE(rounds.recurs(100));
  rounds.wrote(100);  // the first contents
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(rounds.steady()) << i;
    EXPECT_TRUE(rounds.launched(100));
    rounds.wrote(60);
  }
  EXPECT_TRUE(rounds.recurs(100));
  EXPECT_FALSE(rounds.recurs(200)) << "less than half of it was written";
  EXPECT_TRUE(rounds.launched(100));
  EXPECT_FALSE(rounds.recurs(100)) << "nothing was written for another launch of the round";
  EXPECT_FALSE(rounds.launched(100));
  rounds.wrote(30), rounds.wrote(30);
  EXPECT_TRUE(rounds.recurs(100)) << "in parts";
}

TEST(Rounds, EndWithALaunchThatFindsTheOldContents) {
  Rounds rounds;
  for (int i = 0; i < 4; ++i) {
    rounds.wrote(100);
    rounds.launched(100);
  }
  rounds.wrote(10);
  EXPECT_FALSE(rounds.recurs(100));
  rounds.launched(100);
  EXPECT_FALSE(rounds.steady());
  for (int i = 0; i < 4; ++i) {
    rounds.wrote(100);
    for (int launches = 0; launches < 20; ++launches) rounds.launched(100);
  }
  rounds.wrote(100);
  EXPECT_FALSE(rounds.steady()) << "what many launches use is sent once";
}

}  // namespace
}  // namespace skmd::icd::test
