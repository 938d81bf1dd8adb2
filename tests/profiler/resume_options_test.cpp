// SPDX-License-Identifier: Apache-2.0
// skmd-resume's command line.
#include <gtest/gtest.h>

#include "profiler/resume/resume_options.h"

namespace skmd::profiler {
namespace {

TEST(ResumeOptions, TakeAFileAndAFolder) {
  ResumeOptions options;
  ASSERT_FALSE(parse_resume_options({"launch", "--out", "there", "--json"}, options));
  EXPECT_EQ(options.file, "launch");
  EXPECT_EQ(options.folder, "there");
  EXPECT_TRUE(options.as_json);
}

TEST(ResumeOptions, WhatIsWrongIsSaid) {
  const std::vector<std::string> wrong[] = {
      {}, {"launch"}, {"--out", "there"}, {"launch", "--out"}, {"a", "b", "--out", "c"}};
  for (const auto& words : wrong) {
    ResumeOptions options;
    const auto end = parse_resume_options(words, options);
    ASSERT_TRUE(end);
    EXPECT_EQ(end->status, kResumeBadUsage);
    EXPECT_EQ(end->text.find("skmd-resume: "), 0u);
  }
  ResumeOptions options;
  const auto help = parse_resume_options({"--help"}, options);
  ASSERT_TRUE(help);
  EXPECT_EQ(help->status, kResumeDone);
}

}  // namespace
}  // namespace skmd::profiler
