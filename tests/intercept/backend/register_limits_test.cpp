// SPDX-License-Identifier: Apache-2.0
// Kernels that can be stopped inside of work-groups are built with as few registers as they have room in. The stub's
// compiler needs 37.
#include <gtest/gtest.h>

#include "tests/intercept/backend/stub_fixture.h"

namespace skmd::icd {
namespace {

/// A program's second form has one kernel, of no argument of its own, and another one that has no text.
StoppableMaker maker(std::uint32_t points) {
  StoppableMaker made;
  made.compile = [points](const std::string&, const std::string&, std::string_view) -> Result<compiler::StoppableText> {
    compiler::StoppableText text;
    text.kernels.push_back({"stub_empty", {1, 2, 3, 0, points}, 0, 0});
    text.kernels.push_back({"stub_fill", {1, 2, 3, 0, 0}, 0, 0});
    if (points != 0) text.text = "kernel void skmd_stoppable_stub_empty(global uchar* state, global uchar* control) {}";
    return text;
  };
  made.later = [](const std::function<void()>& work) { work(); };
  made.report = [](const std::string& reason) { ADD_FAILURE() << reason; };
  return made;
}

/// The options of the builds of the second form, and what the device tells of the kernel.
std::optional<YieldInfo> yields(std::uint32_t points, std::vector<std::string>& builds, const char* failure = "",
                                const char* name = "stub_empty") {
  auto found = discover(
      {.vendors_folder = STUB_ICD_VENDORS, .selectors = "stub:0", .own_library = "", .stoppable = maker(points)});
  if (!found) return ADD_FAILURE() << found.error().reason, std::nullopt;
  Device& device = *found->devices.front();
  std::string log;
  auto program = device.build(stub::kKernelSource, "-DA=1", log);
  if (!program) return ADD_FAILURE() << log, std::nullopt;
  auto kernel = device.kernel(*program, name);
  if (!kernel) return ADD_FAILURE() << kernel.error().reason, std::nullopt;
  stub::take_log();
  stub::set_failure(failure);
  const auto info = device.yields(**kernel, {1, 1, 0}, true);
  builds = calls_of(stub::take_log(), "clBuildProgram");
  stub::set_failure("");
  return info;
}

TEST(RegisterLimits, AreTheLowestThatAKernelHasRoomIn) {
  std::vector<std::string> builds;
  const auto info = yields(4, builds);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->points, 4u);
  ASSERT_EQ(builds.size(), 3u) << "without a limit, with 32, and with 40";
  EXPECT_EQ(builds[0].find("maxrregcount"), std::string::npos) << builds[0];
  EXPECT_NE(builds[1].find("-DA=1 -cl-nv-maxrregcount=32"), std::string::npos) << builds[1];
  EXPECT_NE(builds[2].find("-DA=1 -cl-nv-maxrregcount=40"), std::string::npos) << builds[2];
}

TEST(RegisterLimits, AreNotAskedForWhereNoKernelCanBeStopped) {
  std::vector<std::string> builds;
  EXPECT_FALSE(yields(0, builds));
  EXPECT_TRUE(builds.empty());
  EXPECT_FALSE(yields(4, builds, "", "stub_fill")) << "which stands beside one that can";
  EXPECT_EQ(builds.size(), 3u);
}

TEST(RegisterLimits, ThatCannotBeBuiltLeaveTheKernelAsItIs) {
  std::vector<std::string> builds;
  EXPECT_TRUE(yields(4, builds, "clBuildProgram:2:-11"));
  EXPECT_EQ(builds.size(), 2u);
}

}  // namespace
}  // namespace skmd::icd
