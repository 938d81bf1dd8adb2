// SPDX-License-Identifier: Apache-2.0
#include "compiler/client/options.h"

#include <gtest/gtest.h>

namespace skmd::compiler {
namespace {

using Kind = PreprocessorOption::Kind;
using Words = std::vector<std::string>;

Words words(std::string_view options) {
  const auto found = split_words(options);
  return found ? *found : Words{"error: " + found.error().reason};
}

TEST(SplitWords, SeparatesAtAnyBlank) { EXPECT_EQ(words(" -a\t-b\n  -c "), (Words{"-a", "-b", "-c"})); }
TEST(SplitWords, OfNothingIsNothing) {
  EXPECT_EQ(words(""), Words{});
  EXPECT_EQ(words("   "), Words{});
}
TEST(SplitWords, KeepsBlanksInsideQuotes) { EXPECT_EQ(words("-I\"a b\" '-D X=1 2'"), (Words{"-Ia b", "-D X=1 2"})); }
TEST(SplitWords, JoinsQuotedAndBareParts) { EXPECT_EQ(words("-DA=\"x\"'y'z"), (Words{"-DA=xyz"})); }
TEST(SplitWords, KeepsAnEmptyQuotedWord) { EXPECT_EQ(words("-D \"\""), (Words{"-D", ""})); }
TEST(SplitWords, TakesAnEscapedQuoteLiterally) {
  EXPECT_EQ(words("-DS=\\\"text\\\""), (Words{"-DS=\"text\""}));
  EXPECT_EQ(words("\"-DS=\\\"a b\\\"\""), (Words{"-DS=\"a b\""}));
}
TEST(SplitWords, TakesAnEscapedBlankLiterally) { EXPECT_EQ(words("-Ia\\ b"), (Words{"-Ia b"})); }
TEST(SplitWords, LeavesABackslashInAPath) { EXPECT_EQ(words("-IC:\\inc\\cl"), (Words{"-IC:\\inc\\cl"})); }
TEST(SplitWords, KeepsDoubleQuotesInSingleOnes) { EXPECT_EQ(words("'-DS=\"a\"'"), (Words{"-DS=\"a\""})); }
TEST(SplitWords, RefusesAQuoteThatNeverEnds) {
  EXPECT_FALSE(split_words("-DA=\"x"));
  EXPECT_FALSE(split_words("'"));
}

TEST(ParseOptions, TakesMacrosApartAndTogetherInTheirOrder) {
  const auto options = parse_options("-DA=1 -D B -U A -D A=2 -I inc -I/usr/x");
  ASSERT_TRUE(options) << options.error().reason;
  const std::vector<PreprocessorOption> expected{{Kind::define, "A=1"},         {Kind::define, "B"},
                                                 {Kind::undefine, "A"},         {Kind::define, "A=2"},
                                                 {Kind::include_folder, "inc"}, {Kind::include_folder, "/usr/x"}};
  EXPECT_EQ(options->preprocessor, expected);
}

TEST(ParseOptions, TakesFunctionLikeMacros) {
  const auto options = parse_options("-D F(x)=#x -DG(a,b)=a##b \"-D H(a, b)=a + b\"");
  ASSERT_TRUE(options) << options.error().reason;
  EXPECT_EQ(options->preprocessor[0].text, "F(x)=#x");
  EXPECT_EQ(options->preprocessor[1].text, "G(a,b)=a##b");
}

TEST(ParseOptions, DefaultsToTheHighestStandardOfVersionOne) {
  const auto options = parse_options("");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->version, 120);
  EXPECT_EQ(options->vendor_options, "");
}

TEST(ParseOptions, KnowsTheStandardsOfTheDevice) {
  EXPECT_EQ(parse_options("-cl-std=CL1.0")->version, 100);
  EXPECT_EQ(parse_options("-cl-std=CL1.1")->version, 110);
  EXPECT_EQ(parse_options("-cl-std=CL1.2")->version, 120);
  EXPECT_EQ(parse_options("-cl-std=CL3.0")->version, 300);
  EXPECT_EQ(parse_options("-cl-std=CL3.0")->vendor_options, "-cl-std=CL3.0");
}

TEST(ParseOptions, RefusesStandardsThatTheDeviceLacks) {
  for (const char* text :
       {"-cl-std=CL2.0", "-cl-std=CL2.1", "-cl-std=CL2.2", "-cl-std=CL4.0", "-cl-std=", "-cl-std=CLC++"}) {
    const auto options = parse_options(text);
    ASSERT_FALSE(options) << text;
    EXPECT_NE(options.error().reason.find(text), std::string::npos) << options.error().reason;
  }
}

TEST(ParseOptions, HandsArithmeticSwitchesToVendors) {
  const auto options = parse_options(
      "-cl-single-precision-constant -cl-denorms-are-zero -cl-fp32-correctly-rounded-divide-sqrt -cl-opt-disable "
      "-cl-mad-enable -cl-no-signed-zeros -cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math");
  ASSERT_TRUE(options) << options.error().reason;
  EXPECT_EQ(
      options->vendor_options,
      "-cl-single-precision-constant -cl-denorms-are-zero -cl-fp32-correctly-rounded-divide-sqrt -cl-opt-disable "
      "-cl-mad-enable -cl-no-signed-zeros -cl-unsafe-math-optimizations -cl-finite-math-only -cl-fast-relaxed-math");
  EXPECT_TRUE(options->fast_relaxed_math);
}

TEST(ParseOptions, KeepsFromVendorsWhatPreprocessingHasDone) {
  const auto options = parse_options(
      "-DA -I. -w -Werror -g -cl-kernel-arg-info -cl-strict-aliasing -cl-uniform-work-group-size -cl-no-subgroup-ifp");
  ASSERT_TRUE(options) << options.error().reason;
  EXPECT_EQ(options->vendor_options, "");
  EXPECT_TRUE(options->kernel_arg_info);
  EXPECT_TRUE(options->no_warnings);
  EXPECT_TRUE(options->warnings_are_errors);
}

TEST(ParseOptions, NamesWhatItDoesNotKnow) {
  for (const char* text :
       {"-nv-verbose", "-cl-nv-maxrregcount=32", "-O3", "-x", "file.cl", "-cl-mad-enabled", "-", "--help"}) {
    const auto options = parse_options(std::string("-DA ") + text);
    ASSERT_FALSE(options) << text;
    EXPECT_NE(options.error().reason.find(std::string("'") + text + "'"), std::string::npos) << options.error().reason;
  }
}

TEST(ParseOptions, RefusesMacrosWithoutAName) {
  for (const char* text :
       {"-D", "-D =1", "-D 1A", "-D A-B=1", "-D F(x", "-D F(x)y=1", "-U", "-U A=1", "-I", "-D \"\""}) {
    EXPECT_FALSE(parse_options(text)) << text;
  }
}

}  // namespace
}  // namespace skmd::compiler
