// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/failed_check.h"

#include <array>
#include <cstdint>

namespace skmd::cpu {

namespace {

// The part before the first `end`, which goes as well.
std::string_view take(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

}  // namespace

std::string failed_check(std::string_view kernel, std::string_view sites, const CheckReport& report) {
  for (std::uint64_t i = 0; i < report.site && !sites.empty(); ++i) take(sites, '\n');
  std::string_view line = take(sites, '\n');
  std::array<std::string, 4> columns;
  for (std::string& column : columns) column = take(line, '\t');
  const auto& [place, what, memory, others] = columns;
  std::string text = "kernel " + std::string(kernel) + ", " + place + ": " + what + " at offset " +
                     std::to_string(static_cast<std::int64_t>(report.offset)) + " of " + memory + ", which has " +
                     std::to_string(report.size) + (report.size == 1 ? " byte" : " bytes");
  if (!others.empty()) text += ", and outside of " + others;
  if (report.count > 1)
    text += "; " + std::to_string(report.count - 1) + (report.count == 2 ? " more access is" : " more accesses are") +
            " outside";
  return text;
}

}  // namespace skmd::cpu
