// SPDX-License-Identifier: Apache-2.0
#include "compiler/merge/in_child.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <new>

namespace skmd::compiler {
namespace {

ChildResult some_result() { return {{{"", {1, 5}}, {"it has none", {}}}, std::string(1 << 20, 'c'), "ptx"}; }

void expect_nothing(const ChildResult& result) {
  EXPECT_TRUE(result.kernels.empty());
  EXPECT_TRUE(result.code.empty());
  EXPECT_TRUE(result.ptx.empty());
}

/// What a crash, which the child of this test makes on purpose, would otherwise leave in the folder.
void no_core() {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

TEST(CodeGenerationChild, HandsBackWhatItMade) {
  const ChildResult result = in_child(some_result);
  ASSERT_EQ(result.kernels.size(), 2u);
  EXPECT_EQ(result.kernels[0].loads, (std::vector<std::uint32_t>{1, 5}));
  EXPECT_EQ(result.kernels[1].obstacle, "it has none");
  EXPECT_EQ(result.code, some_result().code);
  EXPECT_EQ(result.ptx, "ptx");
}

TEST(CodeGenerationChild, ThatCrashesGivesNothing) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGKILL})
    expect_nothing(in_child([signal]() -> ChildResult {
      no_core();
      std::signal(signal, SIG_DFL);
      ::raise(signal);
      return some_result();
    }));
}

TEST(CodeGenerationChild, ThatLoopsIsEndedByItsLimit) {
  expect_nothing(in_child(
      []() -> ChildResult {
        no_core();
        for (volatile unsigned spins = 0;;) spins = spins + 1;
      },
      1));
}

TEST(CodeGenerationChild, MayHaveOneItself) {
  const ChildResult result = in_child([] {
    ChildResult own = some_result();
    own.ptx = in_child([]() -> ChildResult { ::_exit(0); }).ptx;
    own.code = in_child(some_result).code;
    return own;
  });
  EXPECT_EQ(result.kernels.size(), 2u);
  EXPECT_EQ(result.code, some_result().code);
  EXPECT_TRUE(result.ptx.empty());
}

TEST(CodeGenerationChild, LeavesItsParentAsItWas) {
  expect_nothing(in_child([]() -> ChildResult { ::_exit(0); }));
  EXPECT_EQ(in_child(some_result).kernels.size(), 2u);
}

}  // namespace
}  // namespace skmd::compiler
