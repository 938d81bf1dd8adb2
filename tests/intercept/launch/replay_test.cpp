// SPDX-License-Identifier: Apache-2.0
// Merge rung 2 through the conductor: what moves, what comes out, and what failures leave. The merge function is
// written by hand, as skmd-compile would make it.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "intercept/backend/port/host_code.h"
#include "intercept/object/kernel.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 1024;
constexpr std::uint32_t kOld = 0xAAAAAAAA;

/// y[index[i]] = i + 1, replayed.
void replay_scatter(const cpu::SpanFrame* frame, std::uint64_t first, std::uint64_t last) {
  const cpu::SpanArgument& y = frame->arguments[0];
  const cpu::SpanArgument& index = frame->arguments[1];
  for (std::uint64_t i = first * frame->local_size[0]; i < last * frame->local_size[0]; ++i) {
    std::uint32_t place = 0;
    std::memcpy(&place, index.bytes + i * 4, 4);
    if (place * std::uint64_t{4} + 4 <= y.size) std::memcpy(y.bytes + place * 4, y.result + place * 4, 4);
  }
}

std::shared_ptr<BuiltKernel> scatter(FakeMachine& m, bool loadable = true) {
  auto traits = scatter_traits();
  traits.merge_function = true;
  traits.merge_loads = {1};
  std::vector<std::shared_ptr<NativeProgram>> programs(m.fakes.size(), std::make_shared<FakeProgram>());
  auto code = std::make_shared<HostCode>(HostCode::Find([loadable](const std::string&) {
    return cpu::MergeFunction{loadable ? &replay_scatter : nullptr, nullptr};
  }));
  return std::make_shared<BuiltKernel>(m.machine, traits, false, "program", programs, code);
}

struct World {
  explicit World(const std::vector<bool>& discrete)
      : m(discrete), y(m.storage(kItems * 8)), index(m.storage(kItems * 4)) {
    m.machine.settings.rungs = *domain::parse_rungs("disjoint,kernel");
    std::vector<std::uint32_t> places(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) places[i] = i * 389 % kItems * 2;  // every other element
    m.write(index, 0, places.data(), index->bytes());
    reset();
  }
  void reset() {
    const std::vector<std::uint32_t> old(kItems * 2, kOld);
    m.write(y, 0, old.data(), y->bytes());
  }
  cl_int launch(const std::shared_ptr<BuiltKernel>& kernel) {
    return m.launch(kernel, line(kItems, 64), {whole(y), whole(index)})->wait();
  }
  std::vector<std::uint32_t> contents() {
    std::vector<std::uint32_t> values(kItems * 2);
    m.read(y, 0, values.data(), y->bytes());
    return values;
  }
  FakeMachine m;
  std::shared_ptr<Storage> y, index;
};

std::vector<std::uint32_t> expected() {
  std::vector<std::uint32_t> values(kItems * 2, kOld);
  for (std::uint32_t i = 0; i < kItems; ++i) values[i * 389 % kItems * 2] = i + 1;
  return values;
}

TEST(Replay, JoinsWhatTheSlicesStored) {
  for (const std::vector<bool>& discrete : {std::vector{true, true}, {true, false}, {false, true, true}}) {
    World w(discrete);
    ASSERT_EQ(w.launch(scatter(w.m)), CL_COMPLETE);
    EXPECT_EQ(w.contents(), expected());
    EXPECT_NE(w.m.machine.observer->stats_json().find("\"kernel\":1"), std::string::npos);
  }
}

TEST(Replay, DevicesAreSentNoOldBytes) {
  World w({true, true});
  ASSERT_EQ(w.launch(scatter(w.m)), CL_COMPLETE);
  EXPECT_EQ(w.contents(), expected());
  // Each its half of the indices, at most all of them; never the 8 bytes an item of the output.
  for (const auto& fake : w.m.fakes) EXPECT_LE(fake->counters.bytes_to, kItems * 4);
}

TEST(Replay, CodeThatCannotBeLoadedKeepsTheLaunchWhole) {
  World w({true, true});
  ASSERT_EQ(w.launch(scatter(w.m, false)), CL_COMPLETE);
  EXPECT_EQ(w.contents(), expected());
  const std::string stats = w.m.machine.observer->stats_json();
  EXPECT_NE(stats.find("\"unmergeable\":1"), std::string::npos) << stats;
  EXPECT_NE(stats.find("\"kernel\":0"), std::string::npos) << stats;
}

TEST(Replay, SlicesThatFailRunElsewhereOverWhatTheOthersLeft) {
  for (const std::vector<bool>& discrete : {std::vector{true, true}, {false, true}, {true, false}}) {
    for (std::size_t failing = 0; failing < 2; ++failing) {
      World w(discrete);
      w.m.fakes[failing]->fail_runs = 1;
      const cl_int status = w.launch(scatter(w.m));
      if (status == CL_COMPLETE)
        EXPECT_EQ(w.contents(), expected());
      else
        EXPECT_LT(status, 0);
      w.reset();
      ASSERT_EQ(w.launch(scatter(w.m)), CL_COMPLETE);
      EXPECT_EQ(w.contents(), expected());
    }
  }
}

TEST(Replay, BytesMappedForWritingStayTheApplications) {
  World w({true, true});
  const domain::RangeSet mapped(domain::ByteRange{0, 256});
  auto host = w.y->host();
  ASSERT_TRUE(host.ok());
  w.y->mapped_for_writing(mapped);
  std::memset(*host, 0x55, 256);
  ASSERT_EQ(w.launch(scatter(w.m)), CL_COMPLETE);
  std::vector<std::byte> theirs(*host, *host + 256);
  EXPECT_EQ(theirs, std::vector<std::byte>(256, std::byte{0x55}));
  w.y->unmapped(mapped);
  auto values = w.contents();
  const auto wanted = expected();
  EXPECT_TRUE(std::equal(values.begin() + 64, values.end(), wanted.begin() + 64));
}

}  // namespace
}  // namespace skmd::icd::test
