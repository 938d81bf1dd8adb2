// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/plan_text.h"

#include <gtest/gtest.h>

#include "tests/partitioner/planned_machine.h"

namespace skmd::domain {
namespace {

using test::device;
using Machine = test::PlannedMachine;

TEST(PlanText, SaysWhoGetsWhatAndWhatThatRestsOn) {
  Machine m({device(1000), device(1000), device(0)}, 1000);
  m.devices[2].eligible = false;
  m.request.bytes_from = [](std::uint32_t d, const GroupSpan&) { return Moving(0, d == 1 ? 20 : 0); };
  m.request.host_bytes_per_second = 1000;
  m.request.experience = {2.0, 0.5, true};
  const std::string text = text_of(m.request, {{{0, {0, 600}}, {1, {600, 1000}}}});
  EXPECT_EQ(text.rfind("split: 0: 600 1: 400, predicted ", 0), 0u) << text;
  EXPECT_NE(text.find("splits barred, lost 500.000 of 2000.000"), std::string::npos) << text;
  EXPECT_NE(text.find("; 1: alone 0.000 before + 1000.010 + 0.000 behind + 20.000 copies"), std::string::npos) << text;
  EXPECT_NE(text.find("; 2: not eligible"), std::string::npos) << text;
}

TEST(PlanText, AsksForNoBytesWhereNoSearchIsAllowed) {
  Machine m({device(1000), device(0)}, 1000);
  m.request.may_search = false;
  m.request.bytes_to = [](std::uint32_t, const GroupSpan&) -> Moving {
    ADD_FAILURE() << "asked";
    return {};
  };
  EXPECT_NE(text_of(m.request, {{{0, {0, 1000}}}}).find("no search"), std::string::npos);
}

}  // namespace
}  // namespace skmd::domain
