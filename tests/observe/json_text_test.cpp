// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

namespace skmd::icd {
namespace {

std::string as_json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonText, RoundTripsControlCharactersQuotesAndUtf8) {
  const std::string text =
      std::string("a\"b\\c\n\t\x01\x1f\x7f", 11) + "Gr\xC3\xB6\xC3\x9F\x65 \xE2\x82\xAC \xF0\x9F\x8E\x89";
  EXPECT_EQ(nlohmann::json::parse(as_json_string(text)).get<std::string>(), text);
}

TEST(JsonText, KeepsAnEmbeddedNul) {
  const std::string text("a\0b", 3);
  EXPECT_EQ(nlohmann::json::parse(as_json_string(text)).get<std::string>(), text);
}

TEST(JsonText, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(as_json_string("a\xFFz"), "\"a\\ufffdz\"");
  EXPECT_EQ(as_json_string("\xC3"), "\"\\ufffd\"");
  EXPECT_EQ(as_json_string("\xC0\xAF"), "\"\\ufffd\\ufffd\"") << "overlong";
  EXPECT_EQ(as_json_string("\xED\xA0\x80"), "\"\\ufffd\\ufffd\\ufffd\"") << "a surrogate";
}

TEST(JsonText, AnyBytesBecomeJson) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (unsigned i = random() % 12; i > 0; --i) text += static_cast<char>(random());
    EXPECT_TRUE(nlohmann::json::accept(as_json_string(text)));
  }
}

TEST(JsonText, WritesExtremeNumbersWithinTheirBound) {
  std::string out;
  append_json(out, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(out, "18446744073709551615");
  for (const double value :
       {-std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(), -1.0 / 3.0}) {
    out.clear();
    append_json(out, value);
    EXPECT_LE(out.size(), 24u);
    EXPECT_NEAR(nlohmann::json::parse(out).get<double>() / value, 1.0, 1e-8);
  }
}

TEST(JsonText, WritesZeroForWhatJsonCannotSay) {
  std::string out;
  append_json(out, std::nan(""));
  append_json(out, std::numeric_limits<double>::infinity());
  EXPECT_EQ(out, "00");
}

}  // namespace
}  // namespace skmd::icd
