// SPDX-License-Identifier: Apache-2.0
// Split launches whose slices count in the same bytes with atomics.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "intercept/object/launch.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint32_t kItems = 1024;
constexpr std::uint32_t kBins = 64;
using Words = std::vector<std::uint32_t>;
using domain::AccessKind;
using domain::AtomicClass;
using domain::NodeId;

/// atomic_add(&bins[in[i] % kBins], 1)
domain::KernelTraits histogram_traits(AtomicClass operation = AtomicClass::add) {
  TraitsBuilder b("histogram");
  b.buffer().buffer();
  b.access(AccessKind::read, 1, b.global_id(0), 4).access(AccessKind::atomic, 0, b.unknown(), 4);
  auto traits = b.take();
  traits.accesses.back().atomic = operation;
  traits.accesses.back().offset = domain::kNoNode;
  traits.facts = domain::kFactGlobalAtomics;
  return traits;
}

/// atomic_add(&out[kItems], in[i]); out[i] = in[i] + 1
domain::KernelTraits sum_traits() {
  TraitsBuilder b("sum");
  b.buffer().buffer();
  const NodeId i = b.global_id(0);
  b.access(AccessKind::read, 1, i, 4).access(AccessKind::write, 0, i, 4);
  b.access(AccessKind::atomic, 0, b.constant(kItems), 4);
  auto traits = b.take();
  traits.accesses.back().atomic = AtomicClass::add;
  traits.facts = domain::kFactGlobalAtomics;
  return traits;
}

std::map<std::string, Body> counting_bodies() {
  const auto add = [](std::uint32_t& word, std::uint32_t value) { std::atomic_ref(word) += value; };
  return {{"histogram",
           [add](const auto& a, const auto& id) {
             add(a[0].template as<std::uint32_t>()[a[1].template as<std::uint32_t>()[id[0]] % kBins], 1);
           }},
          {"sum", [add](const auto& a, const auto& id) {
             const std::uint32_t value = a[1].template as<std::uint32_t>()[id[0]];
             a[0].template as<std::uint32_t>()[id[0]] = value + 1;
             add(a[0].template as<std::uint32_t>()[kItems], value);
           }}};
}

struct World : FakeMachine {
  explicit World(const std::vector<bool>& discrete, const std::string& policy = "equal")
      : FakeMachine(discrete, policy), in(storage(kItems * 4)), out(storage((kItems + kBins) * 4)) {
    for (const auto& fake : fakes) fake->add_bodies(counting_bodies());
    Words values(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) values[i] = i * i + 7;
    write(in, 0, values.data(), kItems * 4);
    for (std::uint32_t i = 0; i < kItems; ++i) ++counts[values[i] % kBins];
  }
  std::shared_ptr<Storage> in, out;
  Words counts = Words(kBins);

  BufferView bins(std::uint64_t at) { return {out, at * 4, kBins * 4}; }
  cl_int count(const domain::KernelTraits& traits, std::uint64_t at = 0) {
    return launch(kernel(traits), line(kItems, 64), {bins(at), whole(in)})->wait();
  }
  Words words(std::uint64_t first, std::uint64_t number) {
    Words result(number);
    read(out, first * 4, result.data(), number * 4);
    return result;
  }
  [[nodiscard]] std::uint64_t devices_used() const {
    std::uint64_t used = 0;
    for (const auto& fake : fakes) used += fake->counters.groups != 0 ? 1 : 0;
    return used;
  }
  [[nodiscard]] bool stats_say(const std::string& text) const {
    return machine.observer->stats_json().find(text) != std::string::npos;
  }
};

Words times(Words words, std::uint32_t factor) {
  for (std::uint32_t& word : words) word *= factor;
  return words;
}

class Combining : public testing::TestWithParam<std::vector<bool>> {};

TEST_P(Combining, AHistogramIsExactOnAllDevicesTogether) {
  World w(GetParam());
  const Words zeros(kBins);
  w.write(w.out, 0, zeros.data(), kBins * 4);
  EXPECT_EQ(w.count(histogram_traits()), CL_COMPLETE);
  EXPECT_EQ(w.devices_used(), GetParam().size());
  EXPECT_EQ(w.words(0, kBins), w.counts);
}

TEST_P(Combining, EachLaunchGoesOnFromWhatTheLastOneCounted) {
  World w(GetParam());
  const auto kernel = w.kernel(histogram_traits());
  for (int i = 0; i < 5; ++i) w.launch(kernel, line(kItems, 64), {w.bins(16), whole(w.in)});
  w.queue->finish();
  EXPECT_EQ(w.words(16, kBins), times(w.counts, 5));
  EXPECT_EQ(w.words(0, 16), Words(16));  // never written: zeros, and not counted up
}

TEST_P(Combining, OtherBytesOfTheBufferStayWhereTheyWereWritten) {
  World w(GetParam());
  const std::uint32_t start = 1000;
  w.write(w.out, kItems * 4, &start, 4);
  EXPECT_EQ(w.launch(w.kernel(sum_traits()), line(kItems, 64), {whole(w.out), whole(w.in)})->wait(), CL_COMPLETE);
  std::uint64_t fetched = 0;
  for (const auto& fake : w.fakes) fetched += fake->counters.bytes_from;
  EXPECT_LE(fetched, w.fakes.size() * 4);  // the sum alone
  Words values(kItems);
  w.read(w.in, 0, values.data(), kItems * 4);
  const Words result = w.words(0, kItems + 1);
  for (std::uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(result[i], values[i] + 1);
  EXPECT_EQ(result[kItems], std::accumulate(values.begin(), values.end(), start));
}

TEST_P(Combining, AnotherBufferMayBeReadThroughTheSameRoot) {
  World w(GetParam());
  Words values(kItems);
  w.read(w.in, 0, values.data(), kItems * 4);
  w.write(w.out, 0, values.data(), kItems * 4);
  const BufferView in{w.out, 0, kItems * 4};
  const auto kernel = w.kernel(histogram_traits());
  EXPECT_EQ(w.launch(kernel, line(kItems, 64), {w.bins(kItems), in})->wait(), CL_COMPLETE);
  EXPECT_EQ(w.words(kItems, kBins), w.counts);
  EXPECT_EQ(w.words(0, kItems), values);
  EXPECT_EQ(w.devices_used(), GetParam().size());
  // Where they meet the launch stays whole: a race, but never a torn count.
  EXPECT_EQ(w.launch(kernel, line(kItems, 64), {w.bins(kItems - 1), in})->wait(), CL_COMPLETE);
  EXPECT_TRUE(w.stats_say("\"unmergeable\":1"));
}

TEST_P(Combining, VerificationAgrees) {
  World w(GetParam());
  w.machine.settings.verify = true;
  EXPECT_EQ(w.count(histogram_traits(), 4), CL_COMPLETE);
  EXPECT_EQ(w.launch(w.kernel(sum_traits()), line(kItems, 64), {whole(w.out), whole(w.in)})->wait(), CL_COMPLETE);
  EXPECT_TRUE(w.stats_say("\"mismatches\":0"));
  EXPECT_TRUE(w.stats_say("\"reduce\":1"));
}

INSTANTIATE_TEST_SUITE_P(Machines, Combining,
                         testing::Values(std::vector<bool>{true, true}, std::vector<bool>{false, true},
                                         std::vector<bool>{true, false, true}, std::vector<bool>{false, false, true}));

TEST(InPlace, CpusCountInOneMemory) {
  World w({false, false});
  EXPECT_EQ(w.count(histogram_traits()), CL_COMPLETE);
  EXPECT_EQ(w.words(0, kBins), w.counts);
  EXPECT_EQ(w.devices_used(), 2u);
  EXPECT_TRUE(w.stats_say("\"disjoint\":1"));
}

TEST(InPlace, AGpuDoesNotCountInTheMemoryOfACpu) {
  World w({false, false});
  w.fakes[1]->set_kind(DeviceKind::gpu);
  EXPECT_EQ(w.count(histogram_traits()), CL_COMPLETE);
  EXPECT_EQ(w.words(0, kBins), w.counts);
  EXPECT_EQ(w.devices_used(), 1u);
  EXPECT_TRUE(w.stats_say("\"unmergeable\":1"));
}

TEST(CombiningFails, TheOldCountsAreThereAgain) {
  for (const std::vector<bool>& discrete : {std::vector<bool>{true, true}, std::vector<bool>{false, true}}) {
    World w(discrete);
    EXPECT_EQ(w.count(histogram_traits()), CL_COMPLETE);
    EXPECT_EQ(w.words(0, kBins), w.counts);
    for (const auto& fake : w.fakes) fake->fail_runs = 1, fake->fail_late = true;
    EXPECT_EQ(w.count(histogram_traits()), CL_OUT_OF_RESOURCES);
    EXPECT_EQ(w.words(0, kBins), w.counts);
    EXPECT_EQ(w.count(histogram_traits()), CL_COMPLETE);
    EXPECT_EQ(w.words(0, kBins), times(w.counts, 2));
  }
}

TEST(CombiningFails, WhatOneDeviceDidNotCountAnotherDoes) {
  for (const std::vector<bool>& discrete : {std::vector<bool>{true, true}, std::vector<bool>{false, true}})
    for (const std::size_t failing : {0, 1}) {
      World w(discrete);
      EXPECT_EQ(w.count(histogram_traits()), CL_COMPLETE);
      EXPECT_EQ(w.words(0, kBins), w.counts);
      w.fakes[failing]->fail_runs = 1;
      w.fakes[failing]->fail_late = true;
      EXPECT_EQ(w.count(histogram_traits()), CL_COMPLETE);
      EXPECT_EQ(w.words(0, kBins), times(w.counts, 2)) << failing;
    }
}

TEST(CombiningFails, WhatWasCountedInHalfIsNotCountedTwice) {
  World w({false, true});
  EXPECT_EQ(w.count(histogram_traits()), CL_COMPLETE);
  // The discrete device has no room when it is asked; the launch runs whole on the other one.
  const auto elsewhere = w.storage(kItems * 4);
  w.fakes[1]->fail_writes = 1;
  Words more(kItems, 3);
  w.write(elsewhere, 0, more.data(), kItems * 4);
  EXPECT_EQ(w.launch(w.kernel(histogram_traits()), line(kItems, 64), {w.bins(0), whole(elsewhere)})->wait(),
            CL_COMPLETE);
  Words expected = w.counts;
  expected[3] += kItems;
  EXPECT_EQ(w.words(0, kBins), expected);
}

TEST(CombiningMeetsAMap, MappedBytesStayTheApplications) {
  World w({false, true});
  EXPECT_EQ(w.count(histogram_traits()), CL_COMPLETE);
  const domain::ByteRange mapped{8 * 4, 9 * 4 + 2};  // one count and half of another
  w.out->mapped_for_writing(mapped);
  auto* words = reinterpret_cast<std::uint32_t*>(*w.out->host());
  int submissions = 0;
  // At the slice and its upload, then at the fetch; the other slice counts in the same memory meanwhile.
  w.fakes[1]->on_submit = [&] { std::atomic_ref(words[8]).store(submissions++ == 0 ? 111 : 222); };
  EXPECT_EQ(w.count(histogram_traits()), CL_COMPLETE);
  EXPECT_GE(submissions, 2);
  w.fakes[1]->on_submit = nullptr;
  EXPECT_EQ(words[8], 222u);
  w.out->host_written(mapped);
  w.out->unmapped(mapped);
  const Words result = w.words(0, kBins);
  for (std::uint32_t bin = 0; bin < kBins; ++bin)
    if (bin != 8 && bin != 9) {
      EXPECT_EQ(result[bin], 2 * w.counts[bin]) << bin;
    }
}

}  // namespace
}  // namespace skmd::icd::test
