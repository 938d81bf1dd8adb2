// SPDX-License-Identifier: Apache-2.0
// Merge rung 2 on a device, through the conductor: what moves, what comes out, and that nothing is lost wherever it
// fails. Host function and merge kernel are written by hand, as skmd-compile would make them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "compiler/client/merge_record.h"
#include "intercept/backend/port/host_code.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "intercept/object/merge_program.h"
#include "partitioner/base/mutex.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 1024;
constexpr std::uint32_t kOld = 0xAAAAAAAA;

std::atomic<std::uint64_t> host_replays{0};

/// y[index[i]] = i + 1, replayed.
void replay_scatter(const cpu::SpanFrame* frame, std::uint64_t first, std::uint64_t last) {
  ++host_replays;
  const cpu::SpanArgument& y = frame->arguments[0];
  const cpu::SpanArgument& index = frame->arguments[1];
  for (std::uint64_t i = first * frame->local_size[0]; i < last * frame->local_size[0]; ++i) {
    std::uint32_t place = 0;
    std::memcpy(&place, index.bytes + i * 4, 4);
    if (place * std::uint64_t{4} + 4 <= y.size) std::memcpy(y.bytes + place * 4, y.result + place * 4, 4);
  }
}

/// The same as one work-item of a merge kernel.
void merge_scatter(const std::vector<BodyArgument>& arguments, const domain::Extent3& id) {
  ASSERT_EQ(arguments.size(), 5u);
  compiler::MergeRecord record;
  std::array<compiler::MergeView, 2> views;
  ASSERT_EQ(arguments[4].value.size(), sizeof record + sizeof views);
  std::memcpy(&record, arguments[4].value.data(), sizeof record);
  std::memcpy(&views, arguments[4].value.data() + sizeof record, sizeof views);
  const std::uint64_t i = record.first * record.local_size[0] + id[0];
  if (i >= record.last * record.local_size[0]) return;
  const std::uint32_t place = (arguments[2].as<std::uint32_t>() + views[1].offset / 4)[i];
  const std::uint64_t at = views[0].offset / 4 + place;
  if (place * std::uint64_t{4} + 4 <= views[0].size)
    arguments[0].as<std::uint32_t>()[at] = arguments[1].as<std::uint32_t>()[at];
}

std::shared_ptr<BuiltKernel> scatter(FakeMachine& m) {
  auto traits = scatter_traits();
  traits.merge_function = true;
  traits.merge_loads = {1};
  std::vector<std::shared_ptr<NativeProgram>> programs(m.fakes.size(), std::make_shared<FakeProgram>());
  auto code = std::make_shared<HostCode>(HostCode::Find([](const std::string&) {
    return cpu::MergeFunction{&replay_scatter, nullptr};
  }));
  return std::make_shared<BuiltKernel>(m.machine, traits, false, "program", programs, code,
                                       std::make_shared<MergeProgram>("ptx"));
}

struct World {
  /// The first discrete device takes PTX.
  explicit World(const std::vector<bool>& discrete, const std::string& rungs = "kernel@device",
                 const std::string& policy = "equal")
      : m(discrete, policy), y(m.storage(kItems * 8)), index(m.storage(kItems * 4)), kernel(scatter(m)) {
    m.machine.settings.rungs = *domain::parse_rungs(rungs);
    for (std::size_t i = 0; i < discrete.size() && gpu == nullptr; ++i)
      if (discrete[i]) gpu = m.fakes[i].get();
    gpu->set_takes_ptx(true);
    for (const auto& fake : m.fakes) fake->add_bodies({{"skmd_merge_scatter", merge_scatter}});
    reset();
  }
  void reset() {
    std::vector<std::uint32_t> places(kItems);
    for (std::uint32_t i = 0; i < kItems; ++i) places[i] = i * 389 % kItems * 2;  // every other element
    m.write(index, 0, places.data(), index->bytes());
    const std::vector<std::uint32_t> old(kItems * 2, kOld);
    m.write(y, 0, old.data(), y->bytes());
    host_replays = 0;
  }
  /// After a launch: as reset(), but on the device alone. Host memory must then not be taken for the contents.
  void scribble() {
    for (const auto& storage : {y, index}) {
      const domain::RangeSet all(domain::ByteRange{0, storage->bytes()});
      const MutexGuard lock(storage->mutex());
      ASSERT_TRUE(storage->residency().missing(gpu->description().space, all).empty());
      storage->residency().written(gpu->description().space, all);
    }
    for (const auto& storage : {y, index}) {
      auto host = storage->host();
      ASSERT_TRUE(host.ok());
      std::memset(*host, 0x11, storage->bytes());
    }
    const auto index_of =
        std::find_if(m.fakes.begin(), m.fakes.end(), [&](const auto& fake) { return fake.get() == gpu; });
    auto native = y->native(static_cast<std::uint32_t>(index_of - m.fakes.begin()));
    ASSERT_TRUE(native.ok());
    std::memset(static_cast<FakeMemory&>(**native).data(), 0xAA, y->bytes());
    host_replays = 0;
  }
  cl_int launch() { return m.launch(kernel, line(kItems, 64), {whole(y), whole(index)})->wait(); }
  std::vector<std::uint32_t> contents() {
    std::vector<std::uint32_t> values(kItems * 2);
    m.read(y, 0, values.data(), y->bytes());
    return values;
  }
  FakeMachine m;
  std::shared_ptr<Storage> y, index;
  std::shared_ptr<BuiltKernel> kernel;
  FakeDevice* gpu = nullptr;
};

std::vector<std::uint32_t> expected() {
  std::vector<std::uint32_t> values(kItems * 2, kOld);
  for (std::uint32_t i = 0; i < kItems; ++i) values[i * 389 % kItems * 2] = i + 1;
  return values;
}

const std::vector<std::vector<bool>> kMachines = {
    {true, true}, {true, false}, {false, true}, {false, true, true}, {true, false, true, false}};

TEST(DeviceReplay, JoinsWhatTheSlicesStored) {
  for (const std::vector<bool>& discrete : kMachines) {
    World w(discrete);
    for (int time = 0; time < 3; ++time) {
      ASSERT_EQ(w.launch(), CL_COMPLETE);
      EXPECT_EQ(host_replays, 0u);
    }
    EXPECT_EQ(w.gpu->counters.loads, 1u);
    EXPECT_EQ(w.contents(), expected());
    EXPECT_NE(w.m.machine.observer->stats_json().find("\"kernel\":3"), std::string::npos);
  }
}

TEST(DeviceReplay, LeavesTheResultOnTheDevice) {
  World w({true, false});
  ASSERT_EQ(w.launch(), CL_COMPLETE);
  EXPECT_EQ(w.gpu->counters.bytes_from, 0u);
  const MutexGuard lock(w.y->mutex());
  const domain::RangeSet all(domain::ByteRange{0, w.y->bytes()});
  EXPECT_EQ(w.y->residency().valid_only(w.gpu->description().space, all), all);
}

TEST(DeviceReplay, OldContentsStayWhereTheyAre) {
  World w({true, false});
  ASSERT_EQ(w.launch(), CL_COMPLETE);
  w.scribble();
  const std::uint64_t before = w.gpu->counters.bytes_to;
  ASSERT_EQ(w.launch(), CL_COMPLETE);
  EXPECT_EQ(w.gpu->counters.bytes_from, kItems / 2 * 4) << "the indices of the host's slice";
  // What the host's slice may have stored: anything.
  EXPECT_EQ(w.gpu->counters.bytes_to - before, w.y->bytes());
  EXPECT_EQ(w.contents(), expected());
}

TEST(DeviceReplay, ViewsBeginInTheirBuffers) {
  World w({true, false});
  const auto large = w.m.storage(kItems * 12);
  std::vector<std::uint32_t> wanted(kItems * 3, kOld);
  w.m.write(large, 0, wanted.data(), large->bytes());
  const BufferView y{large, kItems * 4, kItems * 8};
  const BufferView index{w.index, kItems * 2, kItems * 2};
  ASSERT_EQ(w.m.launch(w.kernel, line(kItems / 2, 64), {y, index})->wait(), CL_COMPLETE);
  EXPECT_EQ(host_replays, 0u);
  for (std::uint32_t i = 0; i < kItems / 2; ++i) wanted[kItems + (i + kItems / 2) * 389 % kItems * 2] = i + 1;
  std::vector<std::uint32_t> found(wanted.size());
  w.m.read(large, 0, found.data(), large->bytes());
  EXPECT_EQ(found, wanted);
}

TEST(DeviceReplay, IsTheHostsWhereTheDeviceRefusesTheText) {
  for (const std::vector<bool>& discrete : kMachines) {
    World w(discrete);
    w.gpu->refuse_loads = true;
    for (int time = 0; time < 2; ++time) ASSERT_EQ(w.launch(), CL_COMPLETE);
    EXPECT_GT(host_replays, 0u);
    EXPECT_EQ(w.gpu->counters.loads, 1u) << "it is not asked again";
    EXPECT_EQ(w.contents(), expected());
  }
}

TEST(DeviceReplay, IsTheHostsWhereThatCostsLess) {
  World w({true, true}, "kernel");
  ASSERT_EQ(w.launch(), CL_COMPLETE);
  EXPECT_GT(host_replays, 0u);
  EXPECT_EQ(w.gpu->counters.loads, 0u);
  EXPECT_EQ(w.contents(), expected());
}

/// One thing that goes wrong on the device, at the batch that it is told of.
struct Mishap {
  const char* name;
  std::atomic<int> FakeDevice::*counter;
  bool late = false;
  bool fatal = false;  // the device is set aside, and bytes valid only there are lost
};
constexpr Mishap kMishaps[] = {{"run", &FakeDevice::fail_runs, false, true},
                               {"run that costs nothing", &FakeDevice::fail_runs},
                               {"late run that costs nothing", &FakeDevice::fail_runs, true},
                               {"late run", &FakeDevice::fail_runs, true, true},
                               {"refused run", &FakeDevice::refuse_runs},
                               {"write", &FakeDevice::fail_writes},
                               {"read", &FakeDevice::fail_reads}};

/// The mishap at the `batch`-th submission of the second launch; false if there are not so many. `resident`: what the
/// second launch finds is on the device only.
bool survives(const std::vector<bool>& discrete, const Mishap& mishap, int batch, bool resident) {
  World w(discrete);
  EXPECT_EQ(w.launch(), CL_COMPLETE);
  resident ? w.scribble() : w.reset();
  std::atomic<int> left{batch};
  w.gpu->fail_late = mishap.late;
  w.gpu->run_fault = mishap.fatal ? Fault::device : Fault::memory;
  w.gpu->on_submit = [&] {
    if (--left == 0) w.gpu->*mishap.counter = 1;
  };
  const cl_int status = w.launch();
  w.gpu->on_submit = nullptr;
  w.gpu->*mishap.counter = 0;
  SCOPED_TRACE(testing::Message() << mishap.name << " at batch " << batch << (resident ? ", resident" : "") << " of "
                                  << discrete.size() << " devices");
  if (status == CL_COMPLETE) {
    EXPECT_EQ(w.contents(), expected());
  }
  // What is elsewhere too is not lost, nor what a device that goes on has.
  if (!resident || !mishap.fatal) {
    EXPECT_EQ(status, CL_COMPLETE);
  }
  w.reset();
  EXPECT_EQ(w.launch(), CL_COMPLETE);
  EXPECT_EQ(w.contents(), expected());
  return left <= 0;
}

TEST(DeviceReplay, LosesNothingWhereverTheDeviceFails) {
  for (const std::vector<bool>& discrete : kMachines)
    for (const Mishap& mishap : kMishaps)
      for (const bool resident : {false, true})
        for (int batch = 1; survives(discrete, mishap, batch, resident); ++batch) ASSERT_LT(batch, 20);
}

TEST(DeviceReplay, IsTheHostsWhereMemoryIsShort) {
  for (int failing = 1; failing <= 2; ++failing) {  // for the results, for the old contents
    World w({true, false});
    ASSERT_EQ(w.launch(), CL_COMPLETE);
    w.scribble();
    w.gpu->fail_allocations = failing;
    ASSERT_EQ(w.launch(), CL_COMPLETE);
    EXPECT_GT(host_replays, 0u);
    EXPECT_EQ(w.contents(), expected());
  }
}

TEST(DeviceReplay, WhereAllSlicesFailOldContentsAreNotLost) {
  for (const bool late : {false, true}) {
    World w({true, true, false}, "kernel@device", "fixed:50,50,0");
    ASSERT_EQ(w.launch(), CL_COMPLETE);
    w.scribble();
    for (const auto& fake : w.m.fakes) {
      fake->fail_late = late;
      fake->run_fault = Fault::memory;
    }
    for (const std::size_t failing : {0u, 1u}) w.m.fakes[failing]->fail_runs = 1;
    ASSERT_EQ(w.launch(), CL_COMPLETE);
    EXPECT_EQ(w.contents(), expected());
  }
}

TEST(DeviceReplay, OtherSlicesThatFailRunElsewhere) {
  for (const std::vector<bool>& discrete : kMachines) {
    for (const bool resident : {false, true}) {
      World w(discrete);
      ASSERT_EQ(w.launch(), CL_COMPLETE);
      resident ? w.scribble() : w.reset();
      for (const auto& fake : w.m.fakes)
        if (fake.get() != w.gpu) fake->fail_runs = 1;
      ASSERT_EQ(w.launch(), CL_COMPLETE);
      EXPECT_EQ(w.contents(), expected());
    }
  }
}

TEST(DeviceReplay, BytesMappedForWritingStayTheApplications) {
  for (const bool refuse : {false, true}) {
    World w({true, true});
    const domain::RangeSet mapped(domain::ByteRange{0, 256});
    auto host = w.y->host();
    ASSERT_TRUE(host.ok());
    w.y->mapped_for_writing(mapped);
    std::memset(*host, 0x55, 256);
    int left = 3;  // the merge's batch
    w.gpu->on_submit = [&] {
      if (refuse && --left == 0) w.gpu->refuse_runs = 1;
    };
    ASSERT_EQ(w.launch(), CL_COMPLETE);
    w.gpu->on_submit = nullptr;
    const std::vector<std::byte> theirs(*host, *host + 256);
    EXPECT_EQ(theirs, std::vector<std::byte>(256, std::byte{0x55}));
    w.y->unmapped(mapped);
    auto wanted = expected();
    std::fill(wanted.begin(), wanted.begin() + 64, 0x55555555u);
    EXPECT_EQ(w.contents(), wanted);
  }
}

}  // namespace
}  // namespace skmd::icd::test
