// SPDX-License-Identifier: Apache-2.0
#include "profiler/commands/progress.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>

namespace skmd::profiler {
namespace {

TEST(SecondsLeft, FollowFromTheTimeOfThePartThatIsDone) {
  EXPECT_FALSE(seconds_left(0.0, 3.0));
  EXPECT_FALSE(seconds_left(std::nan(""), 3.0));
  EXPECT_DOUBLE_EQ(*seconds_left(0.25, 5.0), 15.0);
  EXPECT_DOUBLE_EQ(*seconds_left(1.0, 5.0), 0.0);
  EXPECT_DOUBLE_EQ(*seconds_left(2.0, 5.0), 0.0);
}

TEST(ProgressLine, HasBarPercentAndTimeLeft) {
  EXPECT_EQ(progress_line(0.5, 64.2, "links", 200), "[##########..........]  50 %, 1 min 05 s left, links");
  EXPECT_EQ(progress_line(0.0, std::nullopt, "", 200), "[....................]   0 %");
  EXPECT_EQ(progress_line(7.0, 0.0, "", 200), "[####################] 100 %, 0 s left");
  EXPECT_EQ(progress_line(1.0, Progress::kNotKnown, "the application", 200),
            "[####################] 100 %, the application");
  EXPECT_EQ(progress_line(0.1, 7322.0, "", 200), "[##..................]  10 %, 2 h 02 min left");
}

TEST(ProgressLine, StaysInTheTerminalAndTakesAnyNumber) {
  const double odd[] = {std::nan(""), std::numeric_limits<double>::infinity(), -1.0, 1e300};
  for (const double part : odd)
    for (const double left : odd)
      for (std::size_t columns = 0; columns < 100; ++columns)
        EXPECT_LE(progress_line(part, left, "what comes next", columns).size(), columns);
}

TEST(PlannedWork, TakesWhatItsPlanSaysUntilItIsKnownBetter) {
  PlannedWork work;
  EXPECT_DOUBLE_EQ(*work.left(10.0, 0.0, 0.0, 100.0), 10.0);
  EXPECT_DOUBLE_EQ(*work.left(10.0, 0.0, 0.0, 101.0), 9.0);
  // A piece of it that does not end: other pieces are left.
  EXPECT_DOUBLE_EQ(*work.left(10.0, 0.0, 0.0, 150.0), 7.5);
}

TEST(PlannedWork, GoesOnAsItWent) {
  for (const double pace : {0.2, 1.0, 3.0}) {
    PlannedWork work;
    work.left(10.0, 0.0, 0.0, 50.0);
    for (int done = 1; done <= 5; ++done) work.left(10.0, done, 0.0, 50.0 + pace * done);
    EXPECT_NEAR(*work.left(10.0, 5.0, 0.0, 50.0 + pace * 5), pace * 5.0, 1.0) << pace;
  }
}

TEST(PlannedWork, DoesNotKnowWhatComesBehindItAndLeavesThatTimeOut) {
  PlannedWork work;
  work.left(10.0, 0.0, 0.0, 0.0);
  EXPECT_FALSE(work.left(10.0, 10.0, 0.0, 20.0));
  EXPECT_FALSE(work.left(10.0, 10.0, 0.0, 1000.0));
  EXPECT_NEAR(*work.left(20.0, 10.0, 0.0, 1000.0), 10.0, 0.1) << "of the first ten seconds it never saw a part done";
  EXPECT_NEAR(*work.left(20.0, 15.0, 0.0, 1010.0), 10.0, 2.0);
}

TEST(PlannedWork, AddsWhatComesBehindTheSpans) {
  PlannedWork work;
  EXPECT_DOUBLE_EQ(*work.left(10.0, 0.0, 2.0, 0.0), 12.0);
  for (int done = 1; done < 10; ++done) work.left(10.0, done, 2.0, 3.0 * done);
  EXPECT_NEAR(*work.left(10.0, 10.0, 2.0, 30.0), 6.0, 0.6) << "at the pace of the spans";
  EXPECT_NEAR(*work.left(10.0, 10.0, 2.0, 34.0), 2.0, 0.6);
  EXPECT_FALSE(work.left(10.0, 10.0, 2.0, 40.0));
}

/// What a Progress writes while standard error is `descriptor`'s other end.
std::string written(int reader, int descriptor, bool wanted) {
  const pid_t child = fork();
  if (child == 0) {
    dup2(descriptor, STDERR_FILENO);
    {
      Progress progress(wanted);
      progress.show(0.5, "half");
    }
    _exit(0);
  }
  close(descriptor);
  std::string text;
  char buffer[512];
  for (ssize_t got = 0; (got = read(reader, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
  waitpid(child, nullptr, 0);
  close(reader);
  return text;
}

TEST(Progress, IsShownOnTerminalsOnly) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(written(ends[0], ends[1], true), "");
  for (const bool wanted : {true, false}) {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal, 0);
    ASSERT_EQ(grantpt(terminal), 0);
    ASSERT_EQ(unlockpt(terminal), 0);
    const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    ASSERT_GE(other, 0);
    const std::string text = written(terminal, other, wanted);
    EXPECT_EQ(text.find("50 %") != std::string::npos, wanted) << text;
    EXPECT_EQ(text.ends_with("\r\x1b[K"), wanted) << text;
  }
}

}  // namespace
}  // namespace skmd::profiler
