// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/profile_spans.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "partitioner/model/profile_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

/// Of 0 to `limit`. Not std::uniform_int_distribution, whose numbers depend on the library.
std::uint64_t random_up_to(std::mt19937_64& random, std::uint64_t limit) {
  return limit == UINT64_MAX ? random() : random() % (limit + 1);
}

std::vector<std::uint64_t> paper_lengths(std::uint64_t groups) {
  std::vector<std::uint64_t> lengths{groups};
  for (const std::uint64_t length : kFirstLengths)
    if (length < groups) lengths.push_back(length);
  constexpr std::uint64_t from = kFirstLengths.back();
  for (int i = 1; i < kGeometricLengths && groups > from; ++i) {
    const double ratio = static_cast<double>(groups) / from;
    lengths.push_back(static_cast<std::uint64_t>(std::round(from * std::pow(ratio, i / double{kGeometricLengths}))));
  }
  std::sort(lengths.begin(), lengths.end(), std::greater<>());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

}  // namespace

Result<SpanPlan> parse_span_plan(std::string_view text) {
  constexpr std::string_view kRandom = "random:";
  if (text == "paper") return SpanPlan{};
  std::uint32_t count = 0;
  if (text.starts_with(kRandom)) {
    const std::string_view number = text.substr(kRandom.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (error == std::errc() && end == number.data() + number.size() && count > 0 && count <= kMaxRandomSpans)
      return SpanPlan{count};
  }
  return Error{-1, "spans are \"" + std::string(text) + "\": \"paper\" and \"random:N\" with N from 1 to " +
                       std::to_string(kMaxRandomSpans) + " are known"};
}

std::vector<GroupSpan> profile_spans(const SpanPlan& plan, std::uint64_t groups, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> lengths;
  if (plan.random == 0) {
    lengths = paper_lengths(groups);
  } else {
    for (std::uint32_t i = 0; i < plan.random; ++i) lengths.push_back(1 + random_up_to(random, groups - 1));
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
  }
  std::vector<GroupSpan> spans;
  for (const std::uint64_t length : lengths) {
    const std::uint64_t first = random_up_to(random, groups - length);
    spans.push_back({first, first + length});
  }
  return spans;
}

}  // namespace skmd::domain
