// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "partitioner/plan/partition.h"

namespace skmd::domain {
namespace {

Error refused(std::string_view text, const std::string& why) {
  return {0, std::string("SKMD_PARTITION=").append(text).append(": ").append(why)};
}

std::string quoted(std::string_view text) { return std::string(1, '\'').append(text).append(1, '\''); }

/// The whole of `text` as a number; locale has no say.
template <class T>
bool parse_number(std::string_view text, T& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty();
}

Result<PartitionPolicy> parse_single(std::string_view text, std::string_view index, std::size_t device_count) {
  PartitionPolicy policy;
  policy.mode = PartitionMode::single;
  if (!parse_number(index, policy.single_index) || policy.single_index < 0) {
    return refused(text, quoted(index) + " is no device index");
  }
  if (static_cast<std::size_t>(policy.single_index) >= device_count) {
    return refused(text, std::string(index) + " is past the last of " + std::to_string(device_count) + " devices");
  }
  return policy;
}

Result<PartitionPolicy> parse_dynamic(std::string_view text, std::string_view minimum) {
  PartitionPolicy policy;
  policy.mode = PartitionMode::dynamic;
  if (!parse_number(minimum, policy.minimum) || policy.minimum == 0)
    return refused(text, quoted(minimum) + " is no number of groups from 1");
  return policy;
}

Result<PartitionPolicy> parse_fixed(std::string_view text, std::string_view list, std::size_t device_count) {
  PartitionPolicy policy;
  policy.mode = PartitionMode::fixed;
  double sum = 0;
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    double percent = 0;
    if (!parse_number(item, percent) || !std::isfinite(percent) || percent < 0) {
      return refused(text, quoted(item) + " is no percentage");
    }
    policy.percent.push_back(percent);
    sum += percent;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  if (policy.percent.size() != device_count) {
    return refused(
        text, std::to_string(policy.percent.size()) + " percentages for " + std::to_string(device_count) + " devices");
  }
  constexpr double kTolerance = 0.01;  // per cent: binary fractions
  if (std::fabs(sum - 100.0) > kTolerance)
    return refused(text, "percentages sum to " + std::to_string(sum) + ", not 100");
  return policy;
}

}  // namespace

std::string_view name(PartitionMode mode) {
  switch (mode) {
    case PartitionMode::automatic:
      return "auto";
    case PartitionMode::equal:
      return "equal";
    case PartitionMode::linear:
      return "linear";
    case PartitionMode::paper:
      return "paper";
    case PartitionMode::dynamic:
      return "dynamic";
    case PartitionMode::single:
      return "single";
    case PartitionMode::fixed:
      return "fixed";
  }
  return "";
}

Result<PartitionPolicy> parse_policy(std::string_view text, std::size_t device_count) {
  PartitionPolicy policy;
  if (text == "auto") return policy;
  constexpr std::pair<std::string_view, PartitionMode> kWords[] = {{"equal", PartitionMode::equal},
                                                                   {"linear", PartitionMode::linear},
                                                                   {"paper", PartitionMode::paper},
                                                                   {"dynamic", PartitionMode::dynamic},
                                                                   {"single", PartitionMode::single}};
  for (const auto& [word, mode] : kWords) {
    if (text != word) continue;
    policy.mode = mode;
    return policy;
  }
  constexpr std::string_view kSingle = "single:";
  constexpr std::string_view kDynamic = "dynamic:";
  constexpr std::string_view kFixed = "fixed:";
  if (text.starts_with(kSingle)) return parse_single(text, text.substr(kSingle.size()), device_count);
  if (text.starts_with(kDynamic)) return parse_dynamic(text, text.substr(kDynamic.size()));
  if (text.starts_with(kFixed)) return parse_fixed(text, text.substr(kFixed.size()), device_count);
  return refused(text,
                 "no such mode; modes are auto, equal, linear, paper, dynamic, dynamic:MIN, single, single:INDEX and "
                 "fixed:P0,P1,...");
}

}  // namespace skmd::domain
