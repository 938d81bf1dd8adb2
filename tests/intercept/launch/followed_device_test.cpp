// SPDX-License-Identifier: Apache-2.0
// Launches behind others: what waits for another device's launch begins later there.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "intercept/launch/decide_launch.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/question.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "tests/intercept/launch/fixture.h"

namespace skmd::icd::test {
namespace {

constexpr std::uint64_t kLocal = 16;
constexpr std::uint64_t kMillisecond = 1'000'000;

TEST(Followed, IsWhereALaunchStaysUnlessAnotherDeviceGainsMoreThanTheHandOver) {
  for (const std::uint64_t ns : {kMillisecond / 1000, kMillisecond}) {  // on the second device it is a tenth less
    FakeMachine m({false, false}, "auto");
    const auto x = m.storage(kLocal * 4);
    const auto y = m.storage(kLocal * 4);
    const auto kernel = m.kernel(axpy_traits());
    const Launch launch{kernel, line(kLocal, kLocal), {whole(y), whole(x), value_of(1u)}};
    const LaunchView view(m.machine, launch);
    for (int i = 0; i < 8; ++i)
      for (std::uint32_t device = 0; device < 2; ++device)
        m.machine.model->learn({kernel->id(), device, launch.range, {0, 1}, device == 0 ? ns : ns - ns / 10, false});
    const auto device = [&] { return decide_launch(m.machine, launch, view)->slices.front().device; };
    const auto behind = [&] { return Question(m.machine, launch, view).request().behind; };
    EXPECT_EQ(device(), 1u) << ns;
    EXPECT_EQ(behind(), std::nullopt);
    y->usage().launched_on(0, m.machine.memory.tick());
    EXPECT_EQ(behind(), 0u);
    EXPECT_EQ(device(), ns == kMillisecond ? 1u : 0u) << ns;
    y->usage().read_back(kLocal * 4, true);
    EXPECT_EQ(behind(), std::nullopt) << "the application has waited for its end";
    x->usage().launched_on(1, m.machine.memory.tick());
    y->usage().launched_on(0, m.machine.memory.tick());
    EXPECT_EQ(behind(), 0u) << "the last one counts";
    y->usage().rewritten(kLocal * 4);
    EXPECT_EQ(behind(), 1u);
  }
}

TEST(Followed, IsTheDeviceOfTheLastLaunchThatUsedItsBuffers) {
  FakeMachine m({false, false}, "single:1");
  const auto x = m.storage(kLocal * 4);
  const auto y = m.storage(kLocal * 4);
  const auto kernel = m.kernel(axpy_traits());
  EXPECT_EQ(m.launch(kernel, line(kLocal, kLocal), {whole(y), whole(x), value_of(1u)})->wait(), CL_COMPLETE);
  const Launch launch{kernel, line(kLocal, kLocal), {whole(y), whole(x), value_of(1u)}};
  EXPECT_EQ(Question(m.machine, launch, LaunchView(m.machine, launch)).request().behind, 1u);
}

}  // namespace
}  // namespace skmd::icd::test
