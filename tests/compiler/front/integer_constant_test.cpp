// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/integer_constant.h"

#include <gtest/gtest.h>

#include <sstream>

namespace skmd::compiler {
namespace {

std::optional<std::int32_t> value(const std::string& words) {
  std::istringstream stream(words);
  std::vector<std::string> tokens;
  for (std::string word; stream >> word;) tokens.push_back(word);
  return integer_constant(tokens);
}

TEST(IntegerConstant, IsWhatCSays) {
  const std::pair<const char*, std::int32_t> cases[] = {{"8", 8},
                                                        {"0x1F", 31},
                                                        {"017", 15},
                                                        {"0", 0},
                                                        {"16u", 16},
                                                        {"16UL", 16},
                                                        {"2 + 3 * 4", 14},
                                                        {"( 2 + 3 ) * 4", 20},
                                                        {"100 - 10 - 1", 89},
                                                        {"7 / 2 * 2 + 7 % 2", 7},
                                                        {"1 << 4 >> 1", 8},
                                                        {"6 & 3 | 8 ^ 1", 11},
                                                        {"1 < 2 == 1", 1},
                                                        {"3 >= 4 || 2 != 2", 0},
                                                        {"! 0 && ~ 0 < 0", 1},
                                                        {"- 3 + + 5", 2},
                                                        {"- 7 / 2", -3},
                                                        {"- 7 % 2", -1},
                                                        {"1 ? 2 : 3", 2},
                                                        {"0 ? 1 : 0 ? 2 : 3", 3},
                                                        {"4 > 2 ? 16 / 4 : ( 1 << 3 )", 4}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(value(text), std::optional(expected)) << text;
}

TEST(IntegerConstant, LeavesTheRestToACompiler) {
  for (const char* other : {"",
                            "N",
                            "2 +",
                            "( 2",
                            "2 )",
                            "( int ) 2",
                            "sizeof ( int )",
                            "1 / 0",
                            "1 % 0",
                            "2147483647 + 1",
                            "4294967295u",
                            "- 1 < 1u",
                            "1 << 32",
                            "- 1 >> 1",
                            "1.5",
                            "'a'",
                            "09",
                            "0x",
                            "1 2",
                            "1 , 2",
                            "99999999999999999999",
                            "1uuuu",
                            "-1u",
                            "1 ? 2",
                            "F ( 2 )"})
    EXPECT_EQ(value(other), std::nullopt) << other;
}

TEST(IntegerConstant, EndsOnWhatNestsWithoutEnd) {
  std::vector<std::string> tokens(100'000, "(");
  EXPECT_EQ(integer_constant(tokens), std::nullopt);
  tokens.assign(100'000, "-");
  EXPECT_EQ(integer_constant(tokens), std::nullopt);
  tokens.clear();
  for (int i = 0; i < 100'000; ++i) tokens.insert(tokens.end(), {"1", "?", "1", ":"});
  EXPECT_EQ(integer_constant(tokens), std::nullopt);
}

}  // namespace
}  // namespace skmd::compiler
