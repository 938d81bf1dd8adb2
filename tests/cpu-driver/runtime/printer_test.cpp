// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/printer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace skmd::cpu::test {
namespace {

constexpr PrintFormatEntry kFormats[] = {{"%d\n", "i32"}, {"<%d", "i32"}, {">\n", ""}, {"%60000d", "i32"}};

const PrintFormats& formats() {
  static const PrintFormats made = PrintFormats::of(PrintTable{4, kFormats, 0, nullptr});
  return made;
}

int print(std::uint64_t format, const std::vector<std::uint64_t>& words) {
  std::byte* const room = print_room(8 * (1 + words.size()));
  if (room == nullptr) return -1;
  std::memcpy(room, &format, 8);
  if (!words.empty()) std::memcpy(room + 8, words.data(), 8 * words.size());
  return 0;
}

class PrinterTest : public testing::Test {
 protected:
  std::vector<std::string> writes_;
  Printer printer_{formats(), [this](std::string_view text) { writes_.emplace_back(text); }};
};

TEST_F(PrinterTest, WritesOnceInTheOrderOfGroups) {
  {
    const Printer::Piece piece(printer_, 8);
    EXPECT_EQ(print(0, {8}), 0);
  }
  std::thread([&] {
    const Printer::Piece piece(printer_, 3);
    print(1, {3});
    print(2, {});
  }).join();
  EXPECT_TRUE(writes_.empty());
  printer_.finish();
  EXPECT_EQ(writes_, std::vector<std::string>{"<3>\n8\n"});
  printer_.finish();
  EXPECT_EQ(writes_.size(), 1u);
}

TEST_F(PrinterTest, NobodyPrintsOutsideOfPieces) { EXPECT_EQ(print(0, {1}), -1); }

TEST_F(PrinterTest, AThreadThatHelpsAnotherLaunchComesBack) {
  std::string other_text;
  Printer other(formats(), [&](std::string_view text) { other_text += text; });
  {
    const Printer::Piece piece(printer_, 0);
    print(0, {1});
    {
      const Printer::Piece inner(other, 0);
      print(0, {2});
    }
    print(0, {3});
  }
  printer_.finish();
  other.finish();
  EXPECT_EQ(writes_, std::vector<std::string>{"1\n3\n"});
  EXPECT_EQ(other_text, "2\n");
}

TEST_F(PrinterTest, MuchTextGoesOutEarlyInWholeLines) {
  constexpr std::uint64_t kLines = 300'000;
  {
    const Printer::Piece piece(printer_, 0);
    for (std::uint64_t i = 0; i < kLines; ++i) {
      ASSERT_EQ(print(1, {i}), 0);
      ASSERT_EQ(print(2, {}), 0);
    }
    EXPECT_GT(writes_.size(), 1u);
  }
  printer_.finish();
  std::string all, expected;
  for (const std::string& text : writes_) {
    EXPECT_LE(text.size(), 2 * Printer::kMaxKept);
    EXPECT_TRUE(text.ends_with(">\n"));
    all += text;
  }
  for (std::uint64_t i = 0; i < kLines; ++i) expected += "<" + std::to_string(i) + ">\n";
  EXPECT_EQ(all, expected);
}

TEST_F(PrinterTest, ALineWithoutEndGoesOutToo) {
  {
    const Printer::Piece piece(printer_, 0);
    for (int i = 0; i < 100; ++i) print(3, {1});
  }
  printer_.finish();
  std::size_t all = 0;
  for (const std::string& text : writes_) {
    EXPECT_LE(text.size(), 2 * Printer::kMaxKept);
    all += text.size();
  }
  EXPECT_EQ(all, 6'000'000u);
}

TEST_F(PrinterTest, NoLineOfAnotherThreadGetsIntoOne) {
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      for (std::uint64_t piece = t; piece < 64; piece += 4) {
        const Printer::Piece own(printer_, piece);
        for (std::uint64_t i = 0; i < 9000; ++i) {
          print(1, {piece});
          print(2, {});
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  printer_.finish();
  std::vector<int> counts(64);
  for (const std::string& text : writes_)
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      ASSERT_EQ(text[at], '<');
      ++counts.at(static_cast<std::size_t>(std::stoi(text.substr(at + 1, 4))));
    }
  EXPECT_TRUE(std::all_of(counts.begin(), counts.end(), [](int count) { return count == 9000; }));
}

TEST_F(PrinterTest, RecordsThatAreNoneEndThePiece) {
  {
    const Printer::Piece piece(printer_, 0);
    print(0, {1});
    print(99, {1});
  }
  printer_.finish();
  EXPECT_EQ(writes_, std::vector<std::string>{"1\n"});
}

}  // namespace
}  // namespace skmd::cpu::test
