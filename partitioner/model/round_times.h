// SPDX-License-Identifier: Apache-2.0
// What an application's rounds took under each plan of one launch: the judge of plans that predictions cannot be.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace skmd::domain {

/// A round lasts from the end of one launch of a shape to the end of the next. It holds what plans are charged for
/// wrongly or not at all: writes and reads of the application's in many pieces, memory that several devices wait for,
/// other kernels. What the application does besides is the same under every plan.
///
/// Plans are told apart by the devices that take part, as a bit mask. Rounds that begin under one plan and end under
/// another count for none. Pure; not thread-safe.
class RoundTimes {
 public:
  using Devices = std::uint64_t;
  /// A plan that could be followed, and seconds that a round under it is predicted to take, without what the
  /// application does besides.
  struct Candidate {
    Devices plan = 0;
    double seconds = 0.0;
  };

  /// A launch under the plan ended at `seconds` of a clock that does not go back; nothing: the time is not known.
  /// `by_itself`: no other launch ended since the last one of the shape, so that the round is this launch's.
  void ended(Devices plan, std::optional<double> seconds, bool by_itself = true);
  /// The next launch follows no plan: what it takes, and what the one behind it takes, is not counted.
  void interrupted() { last_.reset(); }
  /// Asked for each launch that is to follow `plan`. A plan to be followed instead: one under which rounds take clearly
  /// less, if `plan` was followed often enough to tell; then `plan` is barred for some launches. Or, for a few
  /// launches, a candidate under which nothing was measured, and which is predicted to take less than `plan` was
  /// measured to, in rounds that have no other launches in them: what these take is in no prediction of this one.
  std::optional<Devices> instead_of(Devices plan, std::span<const Candidate> candidates = {});
  /// Median of the last rounds in seconds; nothing before there were enough.
  [[nodiscard]] std::optional<double> median(Devices plan) const;

 private:
  static constexpr std::size_t kKept = 5;  // rounds of a plan
  struct Rounds {
    std::array<double, kKept> seconds{};
    std::size_t count = 0;
    bool by_itself = true;           // all of them
    std::uint64_t barred_until = 0;  // launch
    std::uint64_t next_bar = 0;      // launches
    [[nodiscard]] double median() const;
  };
  struct Last {
    Devices plan = 0;
    double seconds = 0.0;
  };
  [[nodiscard]] const std::pair<const Devices, Rounds>* best_but(Devices plan) const;
  /// The plan that takes the place of one that has `rounds`, if another one is clearly better.
  std::optional<Devices> better_than(Devices plan, Rounds& rounds);
  /// The candidate that is on trial beside `rounds`, or begins to be.
  std::optional<Devices> tried(const Rounds& rounds, std::span<const Candidate> candidates);

  std::map<Devices, Rounds> plans_;
  std::optional<Last> last_;
  std::uint64_t launches_ = 0;
  std::set<Devices> tried_;
  Devices trial_ = 0;
  std::uint32_t trial_launches_ = 0;  // that are still to follow trial_
};

}  // namespace skmd::domain
