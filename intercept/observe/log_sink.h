// SPDX-License-Identifier: Apache-2.0
// Where SKMD_LOG's lines go: standard error or a file, one write per line, so that threads and processes do not mix.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "intercept/observe/observer.h"

namespace skmd::icd {

class LogSink {
 public:
  /// `setting`: "", "level" or "level:file". An unknown level is taken for `warn` and complained about; a file that
  /// cannot be opened sends lines to standard error.
  explicit LogSink(const std::string& setting);
  ~LogSink();
  LogSink(const LogSink&) = delete;
  LogSink& operator=(const LogSink&) = delete;

  [[nodiscard]] bool takes(LogLevel level) const {
    return level != LogLevel::off && level <= level_.load(std::memory_order_relaxed);
  }
  /// Any thread. The line is `time skmd[pid] level: text`; line breaks inside are kept, indented.
  void write(LogLevel level, std::string_view text) const;

 private:
  std::atomic<LogLevel> level_ = LogLevel::off;
  int descriptor_ = -1;
  bool own_descriptor_ = false;
};

}  // namespace skmd::icd
