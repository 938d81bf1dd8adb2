// SPDX-License-Identifier: Apache-2.0
#include "intercept/machine/preempt_settings.h"

#include <charconv>
#include <cmath>
#include <string_view>

#include "intercept/machine/machine_constants.h"

namespace skmd::icd {
namespace {

using namespace tuning;

template <class T>
std::optional<T> whole_number(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<PreemptMode> parse_preempt_mode(const std::string& text) {
  if (text == "auto") return PreemptMode::automatic;
  if (text == "off") return PreemptMode::off;
  if (text == "cut") return PreemptMode::cut;
  if (text == "group") return PreemptMode::group;
  if (text == "item") return PreemptMode::item;
  return std::nullopt;
}

std::optional<double> parse_preempt_ms(const std::string& text) {
  double milliseconds = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), milliseconds);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(milliseconds))
    return std::nullopt;
  const double seconds = milliseconds * 1e-3;
  return seconds >= kLeastPreemptSeconds && seconds <= kMaxPreemptSeconds ? std::optional(seconds) : std::nullopt;
}

std::optional<PreemptTest> parse_preempt_test(const std::string& whole, std::size_t devices) {
  const std::string_view text = whole;
  const std::size_t first = text.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = text.find(':', first + 1);
  const auto seed = whole_number<std::uint32_t>(text.substr(0, first));
  const auto microseconds = whole_number<std::uint32_t>(
      text.substr(first + 1, second == std::string_view::npos ? second : second - first - 1));
  if (!seed || !microseconds || *microseconds == 0) return std::nullopt;
  PreemptTest test{*seed, std::uint64_t{*microseconds} * 1000};
  if (second == std::string_view::npos) return test;
  const std::string_view then = text.substr(second + 1);
  if (then == "other") {
    test.then = PreemptTest::Then::other;
    return test;
  }
  const auto device = whole_number<std::uint32_t>(then);
  if (!device || *device >= devices) return std::nullopt;
  test.then = PreemptTest::Then::device;
  test.device = *device;
  return test;
}

}  // namespace skmd::icd
