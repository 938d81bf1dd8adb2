// SPDX-License-Identifier: Apache-2.0
// Measured times of an application's rounds under each plan of one launch. They correct choices between plans that
// predictions get wrong.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "partitioner/model/former_rounds.h"
#include "partitioner/model/round_constants.h"

namespace skmd::domain {

/// A round lasts from the end of one launch of a shape to the end of the next. It includes costs that predictions get
/// wrong or leave out: the application's writes and reads in many pieces, contention for memory, other kernels. The
/// application's own work is the same under every plan.
///
/// A plan is identified by the devices that take part, as a bit mask. Rounds that begin under one plan and end under
/// another count for none. In the first ones of all, programs are built and memory is touched for the first time: they
/// tell what a plan takes at most, and nothing against it. Those of a split that is the first plan with some device
/// tell against it only where they are far longer. Pure; not thread-safe.
class RoundTimes {
 public:
  using Devices = std::uint64_t;
  /// A possible plan, and the predicted seconds of a round under it, without the application's own work.
  struct Candidate {
    Devices plan = 0;
    double seconds = 0.0;
    /// The prediction holds all launches of a round (SharedRounds), and is a lower bound rather than a mean.
    bool whole_round = false;
    double at_most = 0.0;  // of a whole round, by what was measured so far
  };

  /// What it takes now to follow another plan than before, and which ones may be followed.
  struct ChangeOfPlan {
    /// A plan with one of `devices` takes `seconds` longer in its first round: memory is touched for the first time.
    Devices devices = 0;
    double seconds = 0.0;
    // Of plans that former processes measured, and this one has not followed yet:
    /// Bytes would move for another plan now that the application may write anew for each round: at first, such plans
    /// wait until it is known.
    bool moves = false;
    Devices possible = ~Devices{0};  // on others the launch cannot run now
    /// Other launches of its round go where this one goes. If not, plans whose rounds held others are not followed.
    bool leads = false;
  };

  /// Rounds of former processes under a plan of one device.
  struct Former {
    Devices plan = 0;
    FormerRounds rounds;
  };
  /// What the end of a launch told of its plan.
  enum class Told : std::uint8_t {
    nothing,  // that counts against the plan, too
    round,
    hopeless,  // a round so long that the plan's trial has ended
  };
  /// Takes them for measured until this process has measured its own. A plan that was clearly the shorter one is
  /// followed from the next launch on, if ChangeOfPlan allows it and as many rounds as a process has win what its first
  /// one takes longer. All are forgotten when three rounds of this process are far from them. Plans that this process
  /// has measured are left as they are.
  void remember(std::span<const Former> all);

  /// To be called when a launch under `plan` has ended. `seconds`: of a monotonic clock; empty: not known. `by_itself`:
  /// no other launch ended since the last one of this shape, so that the round contains this launch only.
  Told ended(Devices plan, std::optional<double> seconds, bool by_itself = true);
  /// To be called before a launch that follows no plan: its round and the next one are not counted.
  void interrupted() { last_.reset(); }
  /// To be called once for each launch that would follow `plan`. Returns a plan to follow instead: one whose measured
  /// rounds are clearly shorter, if enough rounds of `plan` were measured; `plan` is then barred for some launches. Or,
  /// for a few launches, an unmeasured candidate that is predicted to be shorter than the measured rounds of `plan`, if
  /// those contain no other launches; or a candidate for whole rounds that may be far shorter than those of a single
  /// device. A trial begins once what it may win a round, times the calls so far, is as much as its first round takes
  /// longer (`change`). It ends early if its rounds are far longer, and goes on for a while if its last round was its
  /// shortest. `launch_seconds`: what the launch is predicted to take under `plan`, 0: not known. Where that is a small
  /// part of a round, another single device cannot make it clearly shorter, and rounds are not compared.
  std::optional<Devices> instead_of(Devices plan, std::span<const Candidate> candidates, const ChangeOfPlan& change,
                                    double launch_seconds = 0.0);
  std::optional<Devices> instead_of(Devices plan, std::span<const Candidate> candidates = {}) {
    return instead_of(plan, candidates, {});
  }
  /// To be called instead for a launch that would explore. Returns the candidate that is on trial, if there is one; or
  /// what instead_of() would return for the plan that was wanted last because its rounds are longer: exploring adds a
  /// slice to that plan.
  std::optional<Devices> instead_of_exploring(const ChangeOfPlan& change);
  std::optional<Devices> instead_of_exploring() { return instead_of_exploring({}); }
  /// Median of the last rounds, seconds; empty until so many were measured.
  [[nodiscard]] std::optional<double> median(Devices plan, std::size_t fewest = tuning::kEnoughRounds) const;
  /// Whether the rounds that were measured under the plan held no other launch.
  [[nodiscard]] bool by_themselves(Devices plan) const;

 private:
  struct Rounds {
    std::array<double, tuning::kKeptRounds> seconds{};
    std::size_t count = 0;
    bool by_itself = true;           // all of them
    bool early = false;              // they are among the first of all
    bool joined = false;             // they are among the first with a device
    std::uint64_t barred_until = 0;  // launch
    std::uint64_t next_bar = 0;      // launches
    double former = 0.0;             // seconds that former processes' took; 0: they do not count, or no longer
    std::size_t own = 0;             // of this process, while `former` counts
    bool followed = false;           // in this process, because of former rounds
    bool former_bar = false;         // barred_until is because of another plan's former rounds
    [[nodiscard]] double median() const;
  };
  struct Last {
    Devices plan = 0;
    double seconds = 0.0;
  };
  /// `rounds`: of `plan`. Plans of former processes that are not to be followed now are passed over.
  [[nodiscard]] const std::pair<const Devices, Rounds>* best_but(Devices plan, const Rounds& rounds,
                                                                 const ChangeOfPlan& change) const;
  /// `plan`, with the rounds `former` of former processes, may be followed in place of one that has `rounds`.
  [[nodiscard]] bool may_follow(Devices plan, const Rounds& former, const Rounds& rounds,
                                const ChangeOfPlan& change) const;
  /// The plan that takes the place of one that has `rounds`, if another one is clearly better.
  std::optional<Devices> better_than(Devices plan, Rounds& rounds, const ChangeOfPlan& change);
  /// A round of this process under a plan that has rounds of former ones.
  void compare_with_former(Rounds& rounds);
  void forget_former();
  /// Whether what may be won is worth a trial beside `rounds` of the plan that is followed.
  [[nodiscard]] bool worth_trying(Devices plan, const Rounds& rounds, const Candidate& candidate,
                                  const ChangeOfPlan& change) const;
  /// The rounds of the trial that would end now get shorter still, and are not far from `rounds`. Asked again without a
  /// new round of the trial, it returns false.
  bool goes_on(const Rounds& rounds);
  /// The candidate that is on trial beside `rounds`, or begins to be.
  std::optional<Devices> tried(Devices plan, const Rounds& rounds, std::span<const Candidate> candidates,
                               const ChangeOfPlan& change);

  std::map<Devices, Rounds> plans_;
  std::optional<Last> last_;
  Devices seen_ = 0;             // that plans had
  Devices joining_ = 0;          // that a split was the first plan to have
  std::size_t early_ends_ = 0;   // of launches whose rounds are early
  std::size_t joined_ends_ = 0;  // of the next launches on joining_: those whose rounds are their first ones
  std::uint64_t launches_ = 0;
  double former_total_ = 0.0;    // rounds of former processes
  std::uint64_t asked_ = 0;      // calls of instead_of() and instead_of_exploring()
  double rounds_of_one_ = 0.0;   // of a former process, in the mean
  Devices wanted_ = 0;           // by the last launch that did not explore
  double launch_seconds_ = 0.0;  // of the last launch that did not explore; 0: not known
  std::set<Devices> tried_;
  Devices trial_ = 0;
  std::uint32_t trial_launches_ = 0;  // that are still to follow trial_
  std::uint32_t trial_longer_ = 0;    // launches by which it may still go on
  std::size_t trial_rounds_ = 0;      // of trial_ when it last went on
};

}  // namespace skmd::domain
