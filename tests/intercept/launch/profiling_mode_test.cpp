// SPDX-License-Identifier: Apache-2.0
// Profiling mode: what it times, what it leaves out, and that the application sees nothing of it.
#include "intercept/launch/profiling_mode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <numeric>
#include <vector>

#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kItems = 16384, kBytes = 4 * kItems, kLocal = 64, kGroups = kItems / kLocal;

class Collector : public domain::ProfileSink {
 public:
  bool wants(std::uint64_t, double) noexcept override { return false; }  // everyday recording is another test's
  void add(const domain::ProfileSample& sample, std::uint64_t) noexcept override {
    const std::lock_guard lock(mutex_);
    samples.push_back(sample);
    if (when_added) when_added();
  }
  [[nodiscard]] domain::SinkProgress progress() const noexcept override { return {}; }
  /// Lengths of the spans that were timed on a device, first uses left out.
  [[nodiscard]] std::vector<std::uint64_t> lengths(const std::string& device) const {
    std::vector<std::uint64_t> result;
    for (const auto& sample : samples)
      if (sample.device.name == device && !sample.first_use) result.push_back(sample.span.size());
    return result;
  }
  std::vector<domain::ProfileSample> samples;
  std::function<void()> when_added;

 private:
  std::mutex mutex_;
};

class ProfilingModeTest : public testing::Test {
 protected:
  void use(FakeMachine& w, const ProfilingSettings& settings = {}) {
    mode_ = std::make_unique<ProfilingMode>(settings,
                                            profiler::RunCounters::create(folder_.path(), w.machine.devices.size()));
    w.machine.profile = &sink_;
    w.machine.profiling = mode_.get();
    for (std::uint32_t i = 0; i < w.machine.devices.size(); ++i)
      w.machine.profile_keys.push_back({"platform", "device " + std::to_string(i), "1", 4});
    for (const auto& fake : w.fakes)
      fake->times = [](const Batch& batch) {
        std::vector<OpTime> told;
        for (std::size_t i = 0; i < batch.work().size(); ++i) told.push_back({1000 + 2000 * i, 2000 + 2000 * i, 700});
        return told;
      };
  }
  /// y[i] += 3·x[i], y and x being i at first; the number of values that are not 4·i afterwards.
  std::uint64_t wrong_after_axpy(FakeMachine& w, int times = 1) {
    const auto x = w.storage(kBytes), y = w.storage(kBytes);
    std::vector<std::uint32_t> values(kItems);
    std::iota(values.begin(), values.end(), 0u);
    w.write(x, 0, values.data(), kBytes);
    const auto axpy = w.kernel(axpy_traits());
    for (int i = 0; i < times; ++i) {
      w.write(y, 0, values.data(), kBytes);
      EXPECT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(std::uint32_t{3})})->wait(),
                CL_COMPLETE);
    }
    w.read(y, 0, values.data(), kBytes);
    std::uint64_t wrong = 0;
    for (std::uint32_t i = 0; i < kItems; ++i) wrong += values[i] != 4 * i ? 1 : 0;
    return wrong;
  }
  std::vector<profiler::KernelCounts> counts() const { return profiler::read_counts(folder_.path()); }

  Collector sink_;
  skmd::test::TemporaryFolder folder_;
  std::unique_ptr<ProfilingMode> mode_;
};

const std::vector<std::uint64_t> kPaper{256, 203, 161, 128, 102, 81, 64, 51, 40, 32, 25, 20, 16, 12, 8, 4};

TEST_F(ProfilingModeTest, EveryDeviceRunsEverySpanAndTheResultIsTheLaunchs) {
  for (const char* policy : {"equal", "auto", "single:1"}) {
    FakeMachine w({true, false, true}, policy);
    sink_.samples.clear();
    use(w);
    EXPECT_EQ(wrong_after_axpy(w), 0u) << policy;
    for (const char* device : {"device 0", "device 1", "device 2"}) EXPECT_EQ(sink_.lengths(device), kPaper) << policy;
    for (const auto& sample : sink_.samples) {
      EXPECT_EQ(sample.kernel.name, "axpy");
      EXPECT_EQ(sample.kernel_ns, 700u * sample.boxes);
      EXPECT_FALSE(sample.warm);
      const bool whole = sample.span.size() == kGroups && !sample.first_use;
      const bool apart = sample.device.name != "device 1";
      EXPECT_EQ(sample.to_ns != 0, whole && apart);
      EXPECT_EQ(sample.from_ns != 0, whole && apart);
    }
  }
}

TEST_F(ProfilingModeTest, SpansFindWhatTheLaunchWouldFind) {
  FakeMachine w({true, false});
  use(w, {{20}, 3, true});
  std::atomic<int> stale{0};
  for (const auto& fake : w.fakes)
    fake->add_bodies({{"count", [&](const std::vector<BodyArgument>& arguments, const domain::Extent3& id) {
                         std::uint32_t& y = arguments[0].as<std::uint32_t>()[id[0]];
                         if (y != 7) ++stale;
                         ++y;
                       }}});
  TraitsBuilder b("count");
  b.buffer();
  b.access(domain::AccessKind::read, 0, b.global_id(0), 4);
  b.access(domain::AccessKind::write, 0, b.global_id(0), 4);
  const auto y = w.storage(kBytes);
  std::vector<std::uint32_t> values(kItems, 7);
  w.write(y, 0, values.data(), kBytes);
  ASSERT_EQ(w.launch(w.kernel(b.take()), line(kItems, kLocal), {whole(y)})->wait(), CL_COMPLETE);
  EXPECT_EQ(stale, 0);
  w.read(y, 0, values.data(), kBytes);
  EXPECT_EQ(std::count(values.begin(), values.end(), 8u), static_cast<std::ptrdiff_t>(kItems));
  EXPECT_EQ(sink_.lengths("device 0").size(), 20u);
  for (const auto& sample : sink_.samples) EXPECT_TRUE(sample.warm);
}

TEST_F(ProfilingModeTest, ALaunchLikeOneBeforeIsNotNew) {
  FakeMachine w({true, true});
  use(w);
  EXPECT_EQ(wrong_after_axpy(w, 4), 0u);
  EXPECT_EQ(sink_.lengths("device 0").size(), kPaper.size());
  ASSERT_EQ(counts().size(), 1u);
  const profiler::KernelCounts kernel = counts()[0];
  EXPECT_EQ(kernel.name, "axpy");
  EXPECT_EQ(kernel.launches, 4u);
  EXPECT_EQ(kernel.profiled, 1u);
  EXPECT_EQ(kernel.left_out, (std::map<std::string, std::uint64_t>{{"like one before", 3}}));
  ASSERT_EQ(kernel.samples.size(), 2u);
  EXPECT_EQ(kernel.samples[0] + kernel.samples[1], sink_.samples.size());
}

TEST_F(ProfilingModeTest, WhatIsPlannedIsThatOfAllDevicesFromTheFirst) {
  FakeMachine w({true, false, true});
  use(w);
  std::vector<double> planned;
  sink_.when_added = [&] {
    const double seconds = profiler::read_progress(folder_.path()).planned;
    if (seconds > 0.0 && (planned.empty() || planned.back() != seconds)) planned.push_back(seconds);
  };
  EXPECT_EQ(wrong_after_axpy(w), 0u);
  EXPECT_EQ(planned.size(), 1u);
  const profiler::RunProgress end = profiler::read_progress(folder_.path());
  EXPECT_EQ(end.done, end.planned);
  EXPECT_GT(end.launch, 0.0);
  EXPECT_LT(end.launch, end.planned);
}

TEST_F(ProfilingModeTest, OtherScalarsMakeANewLaunchUpToALimit) {
  FakeMachine w({true});
  use(w, {{1}, 1, true});
  const auto x = w.storage(kBytes), y = w.storage(kBytes);
  const auto axpy = w.kernel(axpy_traits());
  for (std::uint32_t a = 0; a < 40; ++a)
    ASSERT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(a)})->wait(), CL_COMPLETE);
  EXPECT_EQ(counts()[0].profiled, 16u);
  EXPECT_EQ(counts()[0].left_out.at("enough launches of the kernel"), 24u);
}

TEST_F(ProfilingModeTest, WhatMustRunOnceIsLeftOutAndWhatMustNotBeSplitRunsWhole) {
  struct Case {
    std::uint32_t fact;
    const char* reason;  // "": timed whole
  };
  const Case cases[] = {{domain::kFactPrintf, "printf"},
                        {domain::kFactMutableProgramScope, "mutable_program_scope"},
                        {domain::kFactAtomicResultUsed, ""}};
  for (const Case& one : cases) {
    FakeMachine w({true, true});
    sink_.samples.clear();
    use(w);
    domain::KernelTraits traits = axpy_traits();
    traits.facts |= one.fact;
    const auto x = w.storage(kBytes), y = w.storage(kBytes);
    ASSERT_EQ(w.launch(w.kernel(std::move(traits)), line(kItems, kLocal), {whole(y), whole(x), value_of(3u)})->wait(),
              CL_COMPLETE);
    if (*one.reason == 0) {
      EXPECT_EQ(sink_.lengths("device 0"), (std::vector<std::uint64_t>{kGroups}));
      EXPECT_EQ(sink_.lengths("device 1"), (std::vector<std::uint64_t>{kGroups}));
    } else {
      EXPECT_TRUE(sink_.samples.empty());
      const auto kernels = counts();  // one of each machine so far
      EXPECT_EQ(std::count_if(kernels.begin(), kernels.end(),
                              [&](const auto& kernel) { return kernel.left_out.contains(one.reason); }),
                1)
          << one.reason;
    }
  }
}

TEST_F(ProfilingModeTest, ADeviceWithoutMemoryForCopiesIsLeftOut) {
  for (const bool all : {false, true}) {
    FakeMachine w({true, true});
    sink_.samples.clear();
    use(w);
    const auto x = w.storage(kBytes), y = w.storage(kBytes);
    std::vector<std::uint32_t> values(kItems, 2);
    const auto axpy = w.kernel(axpy_traits());
    for (const auto& storage : {x, y}) w.write(storage, 0, values.data(), kBytes);
    for (std::uint32_t i = 0; i < 2; ++i)  // what the launch itself needs is there already
      for (const auto& storage : {x, y}) ASSERT_TRUE(storage->native(i));
    w.fakes[0]->fail_allocations = 1000;
    if (all) w.fakes[1]->fail_allocations = 1000;
    ASSERT_EQ(w.launch(axpy, line(kItems, kLocal), {whole(y), whole(x), value_of(3u)})->wait(), CL_COMPLETE);
    for (const auto& fake : w.fakes) fake->fail_allocations = 0;
    w.read(y, 0, values.data(), kBytes);
    EXPECT_EQ(std::count(values.begin(), values.end(), 8u), static_cast<std::ptrdiff_t>(kItems));
    EXPECT_TRUE(sink_.lengths("device 0").empty());
    EXPECT_EQ(sink_.lengths("device 1").empty(), all);
  }
}

TEST_F(ProfilingModeTest, WhereAnotherDriverRunsTheKernelItIsLeftOut) {
  FakeMachine w({true, true}, "equal");
  use(w);
  w.fakes[1]->kernels_elsewhere = true;
  EXPECT_EQ(wrong_after_axpy(w), 0u);
  EXPECT_EQ(sink_.lengths("device 0"), kPaper);
  EXPECT_TRUE(sink_.lengths("device 1").empty());
  ASSERT_EQ(counts().size(), 1u);
  EXPECT_EQ(counts()[0].profiled, 1u);
  EXPECT_EQ(counts()[0].left_out, (std::map<std::string, std::uint64_t>{{"another CPU driver runs it", 1}}));
}

TEST_F(ProfilingModeTest, ADeviceThatTellsNoTimesGivesNoSamples) {
  FakeMachine w({true, true});
  use(w);
  w.fakes[0]->times = nullptr;
  EXPECT_EQ(wrong_after_axpy(w), 0u);
  EXPECT_TRUE(sink_.lengths("device 0").empty());
  EXPECT_EQ(sink_.lengths("device 1"), kPaper);
}

}  // namespace
}  // namespace skmd::icd::test
