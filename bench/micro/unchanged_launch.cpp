// SPDX-License-Identifier: Apache-2.0
// What `auto` costs a launch like the ones before it, whose decision stands: rates and residency are looked at, and
// nothing is planned. The devices are the tests' fakes, which say how long they took.
#include <benchmark/benchmark.h>

#include "intercept/launch/decide_launch.h"
#include "intercept/launch/decision.h"
#include "intercept/object/launch.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kGroups = 4096, kLocal = 16;
constexpr std::uint64_t kNsPerGroup = 10'000;  // 41 ms a launch: each is worth looking at
constexpr int kLaunchesBefore = 24;            // until every device was measured, and the plan stays

void decide_unchanged(benchmark::State& state) {
  FakeMachine m({false, true, true}, "auto");
  for (const auto& fake : m.fakes) fake->ns_per_group = kNsPerGroup;
  const auto x = m.storage(kGroups * kLocal * 4), y = m.storage(kGroups * kLocal * 4);
  const auto kernel = m.kernel(axpy_traits());
  const domain::NdRange range = line(kGroups * kLocal, kLocal);
  for (int i = 0; i < kLaunchesBefore; ++i) m.launch(kernel, range, {whole(y), whole(x), value_of(1u)})->wait();
  const Launch launch{kernel, range, {whole(y), whole(x), value_of(1u)}};
  const LaunchView view(m.machine, launch);
  const auto standing = decide_launch(m.machine, launch, view);
  if (standing->slices.size() < 2) state.SkipWithError("the launch was not split");
  for (auto _ : state) {
    auto again = decide_launch(m.machine, launch, view);
    if (again != standing) state.SkipWithError("the decision did not stand");
    benchmark::DoNotOptimize(again);
  }
}
BENCHMARK(decide_unchanged)->Name("decide/unchanged");

}  // namespace
}  // namespace skmd::icd::test
