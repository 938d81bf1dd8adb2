// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <regex>
#include <thread>

#include "intercept/observe/log_sink.h"
#include "tests/observe/support.h"

namespace skmd::icd {
namespace {

using test::read_file;
using test::TemporaryFolder;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) found.push_back(line);
  return found;
}

TEST(Log, IsSilentByDefaultAndWhenOff) {
  for (const char* setting : {"", "off", "off:/tmp/never"}) {
    const LogSink sink(setting);
    EXPECT_FALSE(sink.takes(LogLevel::error)) << setting;
  }
}

TEST(Log, TakesItsLevelAndMoreSevereOnes) {
  const LogSink sink("warn");
  EXPECT_TRUE(sink.takes(LogLevel::error));
  EXPECT_TRUE(sink.takes(LogLevel::warn));
  EXPECT_FALSE(sink.takes(LogLevel::info));
  EXPECT_FALSE(sink.takes(LogLevel::debug));
  EXPECT_FALSE(sink.takes(LogLevel::off));
}

TEST(Log, WritesIsoTimeProcessLevelAndText) {
  const TemporaryFolder folder;
  const LogSink sink("info:" + folder.file("log-%p"));
  sink.write(LogLevel::info, "first\nsecond");
  sink.write(LogLevel::debug, "hidden");
  const std::string text = read_file(folder.file("log-" + std::to_string(getpid())));
  const std::regex form(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z skmd\[\d+\] info: first\n    second\n)");
  EXPECT_TRUE(std::regex_match(text, form)) << text;
}

TEST(Log, AnUnknownLevelWarnsAndNamesTheLevels) {
  const TemporaryFolder folder;
  const LogSink sink("loud:" + folder.file("log"));
  EXPECT_TRUE(sink.takes(LogLevel::warn));
  const std::string text = read_file(folder.file("log"));
  EXPECT_NE(text.find("unknown level in 'loud:"), std::string::npos) << text;
  EXPECT_NE(text.find("off error warn info debug"), std::string::npos) << text;
}

TEST(Log, AFileThatCannotBeOpenedFallsBackToStandardError) {
  testing::internal::CaptureStderr();
  const LogSink sink("info:/nonexistent/folder/log");
  sink.write(LogLevel::info, "still here");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("cannot open '/nonexistent/folder/log'"), std::string::npos) << text;
  EXPECT_NE(text.find("still here"), std::string::npos) << text;
}

TEST(Log, LinesOfEightThreadsDoNotMix) {
  const TemporaryFolder folder;
  {
    const LogSink sink("info:" + folder.file("log"));
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&sink, t] {
        for (int i = 0; i < 50; ++i) sink.write(LogLevel::info, std::string(200, static_cast<char>('a' + t)));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const auto found = lines(read_file(folder.file("log")));
  EXPECT_EQ(found.size(), 400u);
  for (const std::string& line : found) {
    const std::string text = line.substr(line.find("info: ") + 6);
    EXPECT_EQ(text, std::string(200, text[0]));
  }
}

}  // namespace
}  // namespace skmd::icd
