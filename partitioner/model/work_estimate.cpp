// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/work_estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "partitioner/model/fit_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

/// One number of a launch that may decide what its items do.
struct Factor {
  std::string name;
  double value = 0.0;
  bool scalar = false;
};

/// In the order in which they are believed. Launches of one kernel have the same ones.
std::vector<Factor> factors_of(const ProfileSample& sample) {
  std::vector<Factor> factors;
  for (const ScalarArgument& scalar : sample.scalars)
    factors.push_back({"argument " + std::to_string(scalar.index), static_cast<double>(scalar.value), true});
  for (const BufferArgument& buffer : sample.buffers)
    factors.push_back(
        {"the bytes of argument " + std::to_string(buffer.index), static_cast<double>(buffer.bytes), false});
  for (std::size_t d = 0; d < 3; ++d)
    factors.push_back({"global size " + std::to_string(d), static_cast<double>(sample.range.global[d]), false});
  for (std::size_t d = 0; d < 3; ++d)
    factors.push_back({"local size " + std::to_string(d), static_cast<double>(sample.range.local[d]), false});
  return factors;
}

double items_of(const ProfileSample& sample) {
  const Extent3& local = sample.range.local;
  return static_cast<double>(local[0]) * static_cast<double>(local[1]) * static_cast<double>(local[2]);
}

struct Known {
  std::vector<Factor> factors;
  double per_item = 0.0;
};

/// Of one kind of work, each size once.
std::vector<Known> known_sizes(std::span<const ProfileSample* const> samples, double ProfileSample::*work,
                               std::size_t factors) {
  using Size = std::tuple<Extent3, Extent3, std::vector<BufferArgument>, std::vector<ScalarArgument>>;
  std::map<Size, const ProfileSample*> sizes;
  for (const ProfileSample* sample : samples)
    if (sample->*work > 0)
      sizes.emplace(Size{sample->range.global, sample->range.local, sample->buffers, sample->scalars}, sample);
  std::vector<Known> result;
  for (const auto& [size, sample] : sizes) {
    Known known{factors_of(*sample), sample->*work / items_of(*sample)};
    if (known.factors.size() == factors) result.push_back(std::move(known));
  }
  return result;
}

double distance(const std::vector<Factor>& a, const std::vector<Factor>& b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j)
    if (a[j].value > 0 && b[j].value > 0)
      sum += std::abs(std::log2(a[j].value / b[j].value));
    else
      sum += a[j].value == b[j].value ? 0.0 : 1.0;
  return sum;
}

/// The straight line through the logarithms of factor `j` and of the work; nothing where it does not vary.
struct Power {
  std::size_t factor = 0;
  double exponent = 0.0;
  double off = 0.0;  // logarithm, by which the worst of the known sizes is missed
};

std::optional<Power> power_of(const std::vector<Known>& sizes, const std::vector<Factor>& asked, std::size_t j) {
  double mean_x = 0.0, mean_y = 0.0;
  if (!(asked[j].value > 0)) return std::nullopt;
  for (const Known& size : sizes) {
    if (!(size.factors[j].value > 0)) return std::nullopt;
    mean_x += std::log(size.factors[j].value) / static_cast<double>(sizes.size());
    mean_y += std::log(size.per_item) / static_cast<double>(sizes.size());
  }
  double xx = 0.0, xy = 0.0;
  for (const Known& size : sizes) {
    const double x = std::log(size.factors[j].value) - mean_x;
    xx += x * x;
    xy += x * (std::log(size.per_item) - mean_y);
  }
  if (xx < kEqualCounts) return std::nullopt;
  Power power{j, xy / xx, 0.0};
  for (const Known& size : sizes) {
    const double x = std::log(size.factors[j].value) - mean_x;
    power.off = std::max(power.off, std::abs(std::log(size.per_item) - mean_y - power.exponent * x));
  }
  return power;
}

/// Those that explain the known sizes about as well as the best one does.
std::vector<Power> best_powers(const std::vector<Known>& sizes, const std::vector<Factor>& asked) {
  std::vector<Power> powers;
  double best = 1e300;
  for (std::size_t j = 0; j < asked.size(); ++j)
    if (const auto power = power_of(sizes, asked, j)) {
      powers.push_back(*power);
      best = std::min(best, power->off);
    }
  std::erase_if(powers, [&](const Power& power) { return power.off > best + kAboutAsWell; });
  return powers;
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

bool about_equal(double a, double b) { return std::abs(a - b) <= kEqualCounts * std::max(std::abs(a), std::abs(b)); }

/// Scalars that no known launch tells anything about: from not at all to in proportion.
void widen_by_unknown_scalars(const std::vector<Known>& sizes, const std::vector<Factor>& asked, WorkBand& band,
                              std::string& how) {
  for (std::size_t j = 0; j < asked.size(); ++j) {
    const auto same = [&](const Known& size) { return size.factors[j].value == sizes.front().factors[j].value; };
    const double known = sizes.front().factors[j].value;
    if (!asked[j].scalar || asked[j].value == known || !std::all_of(sizes.begin(), sizes.end(), same)) continue;
    how += ", and what " + asked[j].name + " does is not known: it was never another than " + number(known);
    if (!(asked[j].value > 0) || !(known > 0)) continue;
    band.low = std::min(band.low, band.low * asked[j].value / known);
    band.high = std::max(band.high, band.high * asked[j].value / known);
  }
}

WorkBand estimate(std::span<const ProfileSample* const> samples, const ProfileSample& asked,
                  double ProfileSample::*work, const std::string& name, std::string& how) {
  const std::vector<Factor> factors = factors_of(asked);
  const std::vector<Known> sizes = known_sizes(samples, work, factors.size());
  if (sizes.empty()) return {};
  const Known& nearest = *std::min_element(sizes.begin(), sizes.end(), [&](const Known& a, const Known& b) {
    return distance(a.factors, factors) < distance(b.factors, factors);
  });
  const double items = items_of(asked), base = nearest.per_item * items;
  if (distance(nearest.factors, factors) == 0.0) return {base, base, base};
  WorkBand band{base, base, base};
  const auto as_nearest = [&](const Known& size) { return about_equal(size.per_item, nearest.per_item); };
  const std::string count = std::to_string(sizes.size()) + (sizes.size() == 1 ? " known size" : " known sizes");
  const std::vector<Power> powers = best_powers(sizes, factors);
  std::string text = "a group's " + name;
  if (std::all_of(sizes.begin(), sizes.end(), as_nearest)) {
    text += " as at " + count;
  } else if (powers.empty()) {
    text += " as at the nearest of " + count + ", which no argument explains";
    for (const Known& size : sizes) {
      band.low = std::min(band.low, size.per_item * items);
      band.high = std::max(band.high, size.per_item * items);
    }
  } else {
    const auto value_by = [&](const Power& power) {
      return base * std::pow(factors[power.factor].value / nearest.factors[power.factor].value, power.exponent);
    };
    band.value = value_by(powers.front());
    band.low = band.high = band.value;
    for (const Power& power : powers) {
      band.low = std::min(band.low, value_by(power) * std::exp(-power.off));
      band.high = std::max(band.high, value_by(power) * std::exp(power.off));
    }
    text += " by " + factors[powers.front().factor].name + " to the power " + number(powers.front().exponent) +
            ", fitted to " + count;
  }
  widen_by_unknown_scalars(sizes, factors, band, text);
  if (band.high > band.low * (1.0 + kTold))
    text += " (between " + number(band.low / band.value) + " and " + number(band.high / band.value) + " times that)";
  how += (how.empty() ? "" : "; ") + text;
  return band;
}

}  // namespace

WorkEstimate estimate_work(std::span<const ProfileSample* const> known, const ProfileSample& asked) {
  WorkEstimate result;
  result.operations = estimate(known, asked, &ProfileSample::group_operations, "operations", result.how);
  result.bytes = estimate(known, asked, &ProfileSample::group_bytes, "bytes", result.how);
  return result;
}

}  // namespace skmd::domain
