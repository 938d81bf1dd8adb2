// SPDX-License-Identifier: Apache-2.0
#include "cpu-driver/runtime/failed_check.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>

namespace skmd::cpu {

namespace {

// The part before the first `end`, which goes as well.
std::string_view take(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

using Columns = std::array<std::string, 5>;

Columns columns_of(std::string_view line) {
  Columns columns;
  for (std::string& column : columns) column = take(line, '\t');
  return columns;
}

Columns site_of(std::string_view sites, const CheckReport& report) {
  for (std::uint64_t i = 0; i < report.site && !sites.empty(); ++i) take(sites, '\n');
  return columns_of(take(sites, '\n'));
}

TrapKind kind_named(std::string_view name) {
  const auto* const found = std::find(std::begin(kTrapKinds), std::end(kTrapKinds), name);
  return found == std::end(kTrapKinds) ? TrapKind::out_of_bounds
                                       : static_cast<TrapKind>(found - std::begin(kTrapKinds));
}

// Whether all that the kernel may do wrong are accesses.
bool only_accesses(std::string_view sites) {
  while (!sites.empty())
    if (kind_named(columns_of(take(sites, '\n')).back()) != TrapKind::out_of_bounds) return false;
  return true;
}

}  // namespace

std::string failed_check(std::string_view kernel, std::string_view sites, const CheckReport& report) {
  const auto [place, what, memory, others, kind] = site_of(sites, report);
  std::string text = "kernel " + std::string(kernel) + ", " + place + ": " + what;
  if (kind_named(kind) == TrapKind::out_of_bounds)
    text += " at offset " + std::to_string(static_cast<std::int64_t>(report.offset)) + " of " + memory +
            ", which has " + std::to_string(report.size) + (report.size == 1 ? " byte" : " bytes");
  if (!others.empty()) text += ", and outside of " + others;
  if (report.count < 2) return text;
  const std::string more = "; " + std::to_string(report.count - 1);
  const bool one = report.count == 2;
  if (only_accesses(sites)) return text + more + (one ? " more access is outside" : " more accesses are outside");
  return text + more + (one ? " more trap" : " more traps");
}

TrapSite trap_site(std::string_view sites, const CheckReport& report) {
  const Columns columns = site_of(sites, report);
  TrapSite site;
  site.kind = kind_named(columns.back());
  constexpr std::string_view kLine = "line ", kOf = " of ";
  const std::string_view place = columns.front();
  if (!place.starts_with(kLine)) return site;
  const char* const end = place.data() + place.size();
  const auto number = std::from_chars(place.data() + kLine.size(), end, site.line);
  const std::string_view rest(number.ptr, static_cast<std::size_t>(end - number.ptr));
  if (rest.starts_with(kOf)) site.file = rest.substr(kOf.size());
  return site;
}

}  // namespace skmd::cpu
