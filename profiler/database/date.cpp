// SPDX-License-Identifier: Apache-2.0
#include "profiler/database/date.h"

#include <array>
#include <ctime>

namespace skmd::profiler {

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  gmtime_r(&now, &parts);
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

}  // namespace skmd::profiler
