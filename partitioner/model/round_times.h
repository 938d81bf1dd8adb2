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
/// another count for none. Where other launches are in a round, plans are compared by rounds in which these followed
/// the same plans; if there are none such, the plan of the best rounds so far is tried again. Pure; not thread-safe.
class RoundTimes {
 public:
  using Devices = std::uint64_t;
  /// Which other launches ended in a round, and under which plans, as one number. 0: none, the round is this launch's.
  using Others = std::uint64_t;
  /// A plan that could be followed, and seconds that a round under it is predicted to take, without what the
  /// application does besides.
  struct Candidate {
    Devices plan = 0;
    double seconds = 0.0;
  };

  /// A launch under the plan ended at `seconds` of a clock that does not go back; nothing: the time is not known.
  /// `others`: since the last launch of the shape.
  void ended(Devices plan, std::optional<double> seconds, Others others = 0);
  /// The next launch follows no plan: what it takes, and what the one behind it takes, is not counted.
  void interrupted() { last_.reset(); }
  /// Asked for each launch that is to follow `plan`. A plan to be followed instead: one under which rounds take clearly
  /// less, if `plan` was followed often enough to tell; then `plan` is barred for some launches. Or, for a few
  /// launches, one on trial: in rounds without other launches a candidate under which nothing was measured, and which
  /// is predicted to take less than `plan` was measured to; in rounds with others, which are in no prediction of this
  /// launch, a plan under which rounds took less while the others followed other plans.
  std::optional<Devices> instead_of(Devices plan, std::span<const Candidate> candidates = {});
  /// Median of the last rounds without other launches, in seconds; nothing before there were enough.
  [[nodiscard]] std::optional<double> median(Devices plan) const;

 private:
  static constexpr std::size_t kKept = 5;  // rounds of a plan
  struct Rounds {
    std::array<double, kKept> seconds{};
    std::size_t count = 0;
    void add(double round) { seconds[count++ % kKept] = round; }
    [[nodiscard]] double median() const;  // of two the longer one
  };
  struct Bar {
    std::uint64_t until = 0;     // launch
    std::uint64_t launches = 0;  // of the last one
    Devices instead = 0;
  };
  struct Last {
    Devices plan = 0;
    double seconds = 0.0;
  };
  struct Trial {
    Devices plan = 0;
    std::uint32_t launches = 0;  // that are still to follow it
    double before = 0.0;         // seconds of rounds under the plan that it is tried against
    Rounds rounds;
  };
  using Key = std::pair<Others, Devices>;

  [[nodiscard]] bool is_barred(Devices plan) const;
  Devices bar(Devices plan, Devices instead);
  /// The plan that takes the place of one that has `rounds`, if another one is clearly better.
  std::optional<Devices> better_than(Devices plan, const Rounds& rounds);
  /// The plan that is on trial instead of `plan`, begins to be, or has just been found to be better.
  std::optional<Devices> tried(Devices plan, const Rounds* rounds, std::span<const Candidate> candidates);
  void begin_trial(const Rounds& rounds, Devices plan, std::span<const Candidate> candidates);
  [[nodiscard]] std::optional<double> best_measured(Devices plan) const;

  std::map<Key, Rounds> rounds_;
  std::map<Devices, Bar> bars_;
  Others others_ = 0;  // of the last round
  std::optional<Last> last_;
  std::uint64_t launches_ = 0;
  std::set<Key> tried_;
  std::optional<Trial> trial_;
};

}  // namespace skmd::domain
