// SPDX-License-Identifier: Apache-2.0
#include "bench/start/process.h"

#include <gtest/gtest.h>

#include <thread>

namespace bench {
namespace {

std::vector<std::string> shell(const std::string& text) { return {"/bin/sh", "-c", text}; }

TEST(RunToEnd, TellsWhatWasSaidAndHowItEnded) {
  const Ended ended = run_to_end(shell("echo $WORD; echo no >&2; exit 3"), {{"WORD", "yes"}}, 60);
  EXPECT_EQ(ended.output, "yes\n");
  EXPECT_EQ(ended.errors, "no\n");
  EXPECT_EQ(ended.status, 3);
  EXPECT_GT(ended.seconds, 0);
}

TEST(RunToEnd, LongOutputIsComplete) {
  EXPECT_EQ(run_to_end(shell("head -c 300000 /dev/zero"), {}, 60).output.size(), 300000u);
}

TEST(RunToEnd, IsNotOverBeforeTheProcess) { EXPECT_GE(run_to_end(shell("sleep 0.2"), {}, 60).seconds, 0.2); }

TEST(RunToEnd, WhatTakesTooLongIsKilled) { EXPECT_EQ(run_to_end({"/bin/sleep", "600"}, {}, 0.05).status, 128 + 9); }

TEST(RunToEnd, WhatCannotBeStartedIsAnError) { EXPECT_THROW(run_to_end({"/nonexistent"}, {}, 1), std::runtime_error); }

TEST(AnswerOf, IsTheLineOfAProgramThatIsRight) {
  EXPECT_EQ(answer_of({"a"}, {1, 0, R"({"ok":true,"n":7})", ""})["n"], 7);
}

TEST(AnswerOf, AnythingElseIsAnErrorThatSaysWhat) {
  EXPECT_THROW(answer_of({"a"}, {1, 0, R"({"ok":false})", ""}), std::runtime_error);
  EXPECT_THROW(answer_of({"a"}, {1, 1, R"({"ok":true})", ""}), std::runtime_error);
  try {
    answer_of({"program", "option"}, {1, 2, "", "no device"});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "program option ended with 2: no device");
  }
}

TEST(Processors, AtMostTwoAreLeft) {
  // In a thread of its own, as the choice is a thread's.
  std::thread([] {
    const int count = keep_to_two_processors();
    EXPECT_TRUE(count == 1 || count == 2) << count;
    EXPECT_EQ(keep_to_two_processors(), count);
  }).join();
}

}  // namespace
}  // namespace bench
