// SPDX-License-Identifier: Apache-2.0
// Every error that the specification gives for a function is shown by a call, and such a call does nothing.
#include <algorithm>
#include <set>

#include "tests/intercept/api/refusal/cases.h"
#include "tests/intercept/api/refusal/specification.h"
#include "tests/stub-icd/control.h"

namespace skmd::test {

const Cases& every_case() {
  static const auto* const all = [] {
    auto* const cases = new Cases;
    for (const auto add : {add_platform_cases, add_object_cases, add_memory_cases, add_image_cases, add_enqueue_cases,
                           add_transfer_cases, add_image_command_cases, add_program_cases, add_kernel_cases})
      add(*cases);
    return cases;
  }();
  return *all;
}

namespace {

bool fits(const Case& one, const World& world) {
  return one.machine == Machine::any || (one.machine == Machine::with_images) == world.has_images();
}

/// What reached the devices: nothing that makes, moves or runs anything may.
std::vector<std::string> native_work() {
  std::vector<std::string> work;
  for (const std::string& line : stub::take_log())
    if (line.rfind("clEnqueue", 0) == 0 || line.rfind("clCreateBuffer", 0) == 0 || line.rfind("clCreateImage", 0) == 0)
      work.push_back(line);
  return work;
}

TEST(Refusal, EveryWrongCallGivesItsCodeAndDoesNothing) {
  World world;
  size_t made = 0;
  for (const Case& one : every_case()) {
    if (!fits(one, world)) continue;
    SCOPED_TRACE(one.function + ": " + one.wrong);
    const auto before = world.snapshot();
    world.arm();
    stub::take_log();
    const cl_int code = one.call(world);
    EXPECT_EQ(code_name(code), code_name(one.code));
    EXPECT_EQ(native_work(), std::vector<std::string>{});
    world.expect_untouched();
    const auto after = world.snapshot();
    ASSERT_EQ(after.size(), before.size());
    for (size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i], before[i]);
    ++made;
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(made, 300u);
  // The objects still work.
  const size_t items = 16;
  EXPECT_EQ(
      clEnqueueNDRangeKernel(world.mine.queue, world.mine.kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
      CL_SUCCESS);
  EXPECT_EQ(clFinish(world.mine.queue), CL_SUCCESS);
}

using Pair = std::pair<std::string, cl_int>;

std::set<Pair> shown() {
  std::set<Pair> pairs;
  for (const Case& one : every_case()) pairs.emplace(one.function, one.code);
  return pairs;
}

TEST(Refusal, EverySpecifiedErrorIsShownOrHasAReason) {
  const auto pairs = shown();
  for (const Specified& entry : specification())
    for (const cl_int code : entry.codes)
      EXPECT_TRUE(pairs.count({entry.function, code}) != 0 || cannot_occur(entry.function, code) != nullptr)
          << entry.function << " " << code_name(code) << " is neither shown nor explained";
}

TEST(Refusal, WhatIsSaidNotToOccurIsShownByNoCall) {
  const auto pairs = shown();
  for (const Pair& pair : impossible())
    EXPECT_EQ(pairs.count(pair), 0u) << pair.first << " " << code_name(pair.second) << " does occur";
}

TEST(Refusal, OnlySpecifiedErrorsAreGiven) {
  std::set<Pair> specified;
  for (const Specified& entry : specification())
    for (const cl_int code : entry.codes) specified.emplace(entry.function, code);
  for (const Pair& pair : shown())
    EXPECT_EQ(specified.count(pair), 1u) << pair.first << " " << code_name(pair.second) << " is not specified";
  for (const Pair& pair : impossible()) EXPECT_EQ(specified.count(pair), 1u) << pair.first << code_name(pair.second);
}

}  // namespace
}  // namespace skmd::test
