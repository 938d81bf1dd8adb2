// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/log_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>

#include "intercept/observe/files.h"

namespace skmd::icd {

namespace {

constexpr std::array<std::string_view, 5> kLevels = {"off", "error", "warn", "info", "debug"};

std::optional<LogLevel> parse_level(std::string_view text) {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (text == kLevels[i]) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

std::string prefix(LogLevel level) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  std::tm utc{};
  gmtime_r(&now.tv_sec, &utc);
  std::array<char, 96> text{};
  std::array<char, 32> seconds{};
  std::strftime(seconds.data(), seconds.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text.data(), text.size(), "%s.%03ldZ skmd[%d] %s: ", seconds.data(), now.tv_nsec / 1000000, getpid(),
                kLevels[static_cast<std::size_t>(level)].data());
  return text.data();
}

}  // namespace

LogSink::LogSink(const std::string& setting) {
  if (setting.empty()) return;
  const std::size_t colon = setting.find(':');
  const std::optional<LogLevel> level = parse_level(setting.substr(0, colon));
  level_ = level.value_or(LogLevel::warn);
  if (level_ == LogLevel::off) return;
  descriptor_ = STDERR_FILENO;
  if (colon != std::string::npos) {
    const std::string path = with_process_id(setting.substr(colon + 1));
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    own_descriptor_ = file >= 0;
    if (own_descriptor_) {
      descriptor_ = file;
    } else {
      write(LogLevel::error, "SKMD_LOG: cannot open '" + path + "': " + std::strerror(errno));
    }
  }
  if (!level)
    write(LogLevel::warn, "SKMD_LOG: unknown level in '" + setting + "'; it is one of off error warn info debug");
}

LogSink::~LogSink() {
  if (own_descriptor_) close(descriptor_);
}

void LogSink::write(LogLevel level, std::string_view text) const {
  if (!takes(level)) return;
  std::string line = prefix(level);
  for (const char c : text) {
    line += c;
    if (c == '\n') line += "    ";
  }
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace skmd::icd
