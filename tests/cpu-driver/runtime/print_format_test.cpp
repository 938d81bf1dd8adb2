// SPDX-License-Identifier: Apache-2.0
// The formatter against the C library's, and where OpenCL C differs, against its specification.
#include "cpu-driver/runtime/print_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>

namespace skmd::cpu::test {
namespace {

const char* no_strings(std::uint64_t, std::size_t&) { return nullptr; }

std::string printed(const std::string& text, const std::string& arguments, const std::vector<std::uint64_t>& words) {
  const PrintFormat format(text, print_arguments(arguments));
  EXPECT_EQ(format.words(), words.size());
  std::string made;
  format.append(made, words, no_strings);
  return made;
}

template <class... Values>
std::string by_library(const std::string& text, Values... values) {
  std::vector<char> buffer(200'000);
  const int length = std::snprintf(buffer.data(), buffer.size(), text.c_str(), values...);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
std::uint64_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Flags, widths and precisions that say something together.
std::vector<std::string> modifiers(const std::string& flags) {
  std::vector<std::string> made;
  for (unsigned set = 0; set < 1u << flags.size(); ++set) {
    std::string chosen;
    for (std::size_t i = 0; i < flags.size(); ++i)
      if ((set >> i & 1) != 0) chosen += flags[i];
    for (const char* size : {"", "1", "7", "30", "150", ".", ".0", ".3", "12.5", "40.20", "3.140"})
      made.push_back(chosen + size);
  }
  return made;
}

TEST(PrintFormat, IntegersAreAsInC) {
  const std::vector<std::uint64_t> values = {
      0,         1,          9,         10,         127,        128,        255,        256,
      32767,     32768,      65535,     2147483647, 2147483648, 4294967295, 4294967296, 0x123456789ABCDEF,
      INT64_MAX, 1ull << 63, UINT64_MAX};
  for (const char letter : std::string("diouxX"))
    for (const std::string& some : modifiers(std::strchr("di", letter) != nullptr    ? "-+ 0"
                                             : std::strchr("oxX", letter) != nullptr ? "-#0"
                                                                                     : "-0"))
      for (const std::uint64_t value : values) {
        const auto conversion = [&](const char* length) { return "<%" + some + length + letter + ">"; };
        EXPECT_EQ(printed(conversion(""), "i32", {value & 0xFFFFFFFF}),
                  by_library(conversion(""), static_cast<int>(value)));
        EXPECT_EQ(printed(conversion("hh"), "i32", {value & 0xFFFFFFFF}),
                  by_library(conversion("hh"), static_cast<int>(value)));
        EXPECT_EQ(printed(conversion("h"), "i32", {value & 0xFFFFFFFF}),
                  by_library(conversion("h"), static_cast<int>(value)));
        EXPECT_EQ(printed(conversion("l"), "i64", {value}), by_library(conversion("l"), static_cast<long>(value)));
        EXPECT_EQ(printed(conversion("ll"), "i64", {value}),
                  by_library(conversion("ll"), static_cast<long long>(value)));
      }
}

TEST(PrintFormat, RealsAreAsInC) {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values = {0.0,
                                -0.0,
                                1.0,
                                -1.0,
                                0.1,
                                0.5,
                                1.5,
                                2.5,
                                9.9999995,
                                123456789.0,
                                1e-5,
                                1e22,
                                1e-300,
                                Limits::max(),
                                Limits::min(),
                                Limits::denorm_min(),
                                Limits::infinity(),
                                -Limits::infinity(),
                                Limits::quiet_NaN(),
                                static_cast<double>(0.1f),
                                4.0 * std::atan(1.0)};
  std::mt19937_64 random(7);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr int kRandom = 2;  // minutes otherwise
#else
  constexpr int kRandom = 20;
#endif
  for (int i = 0; i < kRandom; ++i) values.push_back(std::bit_cast<double>(random()));
  for (const char letter : std::string("fFeEgGaA"))
    for (const std::string& some : modifiers("-+ #0"))
      for (const double value : values) {
        const std::string text = "<%" + some + letter + ">";
        ASSERT_EQ(printed(text, "f64", {bits(value)}), by_library(text, value)) << text;
        const std::string wide = "<%" + some + "l" + letter + ">";
        ASSERT_EQ(printed(wide, "f64", {bits(value)}), by_library(wide, value)) << wide;
      }
}

TEST(PrintFormat, FloatsAndHalvesAreWhatTheyAreAsDoubles) {
  for (const float value : {0.1f, -3.75f, 1e-42f, 3.4e38f})
    EXPECT_EQ(printed("%g %.9e", "f32 f32", {bits(value), bits(value)}),
              by_library("%g %.9e", static_cast<double>(value), static_cast<double>(value)));
  EXPECT_EQ(printed("%g %g %g %g %g", "f16 f16 f16 f16 f16", {0x3C00, 0xC248, 0x0001, 0x7C00, 0x7BFF}),
            "1 -3.14062 5.96046e-08 inf 65504");
  EXPECT_EQ(printed("%g", "f16", {0x7E00}), "nan");
}

TEST(PrintFormat, CharactersAndPointersAreAsInC) {
  for (const std::string text : {"%c", "%5c|", "%-5c|"})
    for (const int value : {65, 10, 255, 0x141})
      EXPECT_EQ(printed(text, "i32", {static_cast<std::uint64_t>(value)}), by_library(text, value));
  EXPECT_EQ(printed("%c.", "i32", {0}), std::string("\0.", 2));
  int place = 0;
  for (const std::string text : {"%p", "%30p|", "%-30p|"}) {
    EXPECT_EQ(printed(text, "p64", {reinterpret_cast<std::uint64_t>(&place)}),
              by_library(text, static_cast<void*>(&place)));
    EXPECT_EQ(printed(text, "p64", {0}), by_library(text, static_cast<void*>(nullptr)));
  }
}

TEST(PrintFormat, StringsAreTheProgramsOwn) {
  const char known[] = "literal";
  const PrintStrings strings = [&](std::uint64_t pointer, std::size_t& bytes) -> const char* {
    const std::uint64_t begin = reinterpret_cast<std::uint64_t>(known);
    if (pointer < begin || pointer >= begin + sizeof known) return nullptr;
    bytes = sizeof known - (pointer - begin);
    return known + (pointer - begin);
  };
  const auto with = [&](const std::string& text, std::uint64_t pointer) {
    std::string made;
    PrintFormat(text, print_arguments("p64")).append(made, std::vector<std::uint64_t>{pointer}, strings);
    return made;
  };
  const auto begin = reinterpret_cast<std::uint64_t>(known);
  for (const std::string text : {"%s", "%12s|", "%-12s|", "%.3s|", "%10.2s|"}) {
    EXPECT_EQ(with(text, begin), by_library(text, known));
    EXPECT_EQ(with(text, begin + 3), by_library(text, known + 3));
  }
  EXPECT_EQ(with("%s", 0), "(null)");
  EXPECT_EQ(with("a %s b", 8), "a %s b");
  EXPECT_EQ(with("%s", begin + sizeof known), "%s");
}

TEST(PrintFormat, VectorsHaveCommas) {
  EXPECT_EQ(printed("%v4hld", "i32x4", {1, 0xFFFFFFFE, 3, 4}), "1,-2,3,4");
  EXPECT_EQ(printed("<%5.2v4hlf>", "f32x4", {bits(1.0f), bits(-2.5f), bits(3.25f), bits(100.0f)}),
            "< 1.00,-2.50, 3.25,100.00>");
  EXPECT_EQ(printed("%#v2hhx", "i8x2", {0xfa, 0xfb}), "0xfa,0xfb");
  EXPECT_EQ(printed("%v3hd %v3hu", "i16x3 i16x3", {1, 2, 0xFFFF, 1, 2, 0xFFFF}), "1,2,-1 1,2,65535");
  EXPECT_EQ(printed("%v2ld", "i64x2", {UINT64_MAX, 1ull << 40}), "-1,1099511627776");
  EXPECT_EQ(printed("%v2lf", "f64x2", {bits(0.5), bits(-0.25)}), "0.500000,-0.250000");
  EXPECT_EQ(printed("%v2hg", "f16x2", {0x3C00, 0xC000}), "1,-2");
  EXPECT_EQ(printed("%-4v8hld|", "i32x8", {1, 2, 3, 4, 5, 6, 7, 8}), "1   ,2   ,3   ,4   ,5   ,6   ,7   ,8   |");
  EXPECT_EQ(printed("%v16hhu", "i8x16", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255}),
            "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,255");
  // Without a length, elements are what they are.
  EXPECT_EQ(printed("%v2d %v2f", "i8x2 f32x2", {0xFF, 1, bits(1.0f), bits(2.0f)}), "-1,1 1.000000,2.000000");
}

TEST(PrintFormat, StarsTakeArguments) {
  EXPECT_EQ(printed("<%*d>", "i32 i32", {6, 42}), by_library("<%*d>", 6, 42));
  EXPECT_EQ(printed("<%*d>", "i32 i32", {0xFFFFFFFA, 42}), by_library("<%*d>", -6, 42));
  EXPECT_EQ(printed("<%.*f>", "i32 f64", {3, bits(1.0 / 3)}), by_library("<%.*f>", 3, 1.0 / 3));
  EXPECT_EQ(printed("<%0*.*f>", "i32 i32 f64", {12, 0xFFFFFFFF, bits(2.5)}), by_library("<%0*.*f>", 12, -1, 2.5));
}

TEST(PrintFormat, WhatIsNotKnownStands) {
  EXPECT_EQ(printed("100%% %", "", {}), "100% %");
  EXPECT_EQ(printed("%y %d", "i32", {5}), "%y 5");
  EXPECT_EQ(printed("%d %d", "i32", {5}), "5 %d");
  EXPECT_EQ(printed("%d", "", {}), "%d");
  EXPECT_EQ(printed("%d more", "i32 i32", {5, 6}), "5 more");
  EXPECT_EQ(printed("%n%d", "p64 i32", {16, 5}), "%n5");
  EXPECT_EQ(printed("%ls %lc %d", "p64 i32 i32", {16, 5, 6}), "%ls %lc 6");
  EXPECT_EQ(printed("%Lf %d", "f64 i32", {bits(1.0), 6}), "%Lf 6");
  EXPECT_EQ(printed("%f %d", "i32 i32", {1, 6}), "%f 6");
  EXPECT_EQ(printed("%d %d", "f64 i32", {bits(1.0), 6}), "%d 6");
  EXPECT_EQ(printed("%v4d %d", "i32x2 i32", {1, 2, 6}), "%v4d 6");
  EXPECT_EQ(printed("%d %d", "i32x2 i32", {1, 2, 6}), "%d 6");
  EXPECT_EQ(printed("%v5d", "i32x5", {1, 2, 3, 4, 5}), "%v5d");
  EXPECT_EQ(printed("%v2s", "p64", {1}), "%v2s");
  EXPECT_EQ(printed("%hld", "i32", {1}), "%hld");
  EXPECT_EQ(printed("%-", "i32", {1}), "%-");
  EXPECT_EQ(printed("%5.", "i32", {1}), "%5.");
  EXPECT_EQ(printed("%99999999999d", "i32", {1}), "%99999999999d");
  EXPECT_EQ(printed("%.70000f", "f64", {bits(1.0)}), "%.70000f");
  EXPECT_EQ(printed("%60000d", "i32", {1}), by_library("%60000d", 1));
}

TEST(PrintFormat, ListsOfArgumentsAreReadOrEmpty) {
  const auto arguments = print_arguments("i8x3 f64 p64");
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_EQ(arguments[0].type, 'i');
  EXPECT_EQ(arguments[0].bits, 8u);
  EXPECT_EQ(arguments[0].lanes, 3u);
  EXPECT_EQ(arguments[2].type, 'p');
  for (const char* wrong : {"q8", "i", "i0", "i65", "i32x", "i32x17", "i32,i32", "f64 x"})
    EXPECT_TRUE(print_arguments(wrong).empty()) << wrong;
}

// For every text, formatting ends and reads no argument that does not exist (under a sanitizer).
TEST(PrintFormat, AnyTextIsSafe) {
  const std::string letters = "%%%%%dufsxcpnvhlL0123456789.*-+# ae\n";
  std::mt19937 random(3);
  for (int i = 0; i < 100'000; ++i) {
    std::string text;
    for (unsigned length = random() % 12; length != 0; --length) text += letters[random() % letters.size()];
    const PrintFormat format(text, print_arguments(i % 2 == 0 ? "i32 f64 i8x4 p64" : "p64 f32x2"));
    const std::vector<std::uint64_t> words(format.words(), 3);
    std::string made;
    format.append(made, words, no_strings);
    ASSERT_LE(made.size(), 1'000'000u) << text;
  }
}

}  // namespace
}  // namespace skmd::cpu::test
