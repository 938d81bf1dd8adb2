// SPDX-License-Identifier: Apache-2.0
// Corrects the predictions of a stored TimeModel by what the launches of this process took. Pure; time is given.
//
// Use, for a span that is about to run or has run, with `stored = predict(model, point)`:
//   plan:    corrections.corrected({kernel, device}, stored, now) is what to believe of the span.
//   learn:   corrections.learn({kernel, device}, stored, seconds, now) for each timed span, with the prediction for
//            exactly that span, not corrected. Not for first uses, which may hold a compilation.
// Call forget() when the stored model changes (another fit): corrections are relative to it.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>

#include "partitioner/model/rate_constants.h"
#include "partitioner/model/time_model.h"

namespace skmd::domain {

/// The correction of one kernel on one device by this process's launches. `now`: seconds of a monotonic clock; a time
/// before the last one counts as the last one. `launches`: number of this kernel's launches so far, on all devices;
/// only its increase since the last call is used.
class Correction {
 public:
  /// A launch inside its band moves the factor a little. One outside leaves it as it is, until kLaunchesToChange in a
  /// row were outside: then their median is the factor. As long as none was inside, two in a row on the same side are
  /// enough, and the nearer one counts: the model was never right here. Numbers that are not finite and above 0 are
  /// ignored. So are launches whose prediction is far shorter than the longest one: what they take beyond it says
  /// nothing of longer ones. The first far longer one begins anew, as does a long row of far shorter ones.
  void learn(const TimePrediction& stored, double seconds, double now, std::uint64_t launches);

  /// `stored` times the factor. The band is adapted so that it holds 80 % of launches. It grows with the time and with
  /// the kernel's launches on other devices since this one was last measured, at most until it holds `stored` itself
  /// and a factor of two: a device that looked slow becomes worth another try. Finite and positive if `stored` is;
  /// without launches learnt, and of a launch that is far shorter than those, `stored`.
  [[nodiscard]] TimePrediction corrected(const TimePrediction& stored, double now, std::uint64_t launches) const;

  /// Measured over stored prediction; 1 before anything was learnt.
  [[nodiscard]] double factor() const;
  /// Launches learnt from, including those outside their band.
  [[nodiscard]] std::uint64_t launches() const { return seen_; }

 private:
  struct Outside {
    double level = 0.0;  // logarithm of measured over stored
    double width = 0.0;  // logarithm, of half the stored band
  };
  [[nodiscard]] double age(double now, std::uint64_t launches) const;
  [[nodiscard]] double half_width(double stored_width, double age) const;
  void change_level();
  /// Where the last two launches were outside on the same side, the nearer one's level is the level.
  void take_first_level();

  double level_ = 0.0;  // logarithm of the factor
  double wider_ = 1.0;  // half the band, as a multiple of half the stored band
  double trust_ = 0.0;  // launches that made the level, as far as they still count
  std::array<Outside, tuning::kLaunchesToChange> outside_{};
  std::size_t outside_count_ = 0;  // in a row, until now
  bool confirmed_ = false;         // a launch was inside
  double longest_ = 0.0;           // seconds: the longest prediction learnt from
  std::size_t far_shorter_ = 0;    // launches in a row that were ignored
  std::uint64_t seen_ = 0;
  double last_seconds_ = 0.0;
  std::uint64_t last_launches_ = 0;
};

/// The corrections of all kernels and devices of a process. Not thread-safe: the owner locks. Memory is bounded: at
/// 65,536 entries all are discarded.
class Corrections {
 public:
  struct Key {
    std::uint64_t kernel = 0;
    std::uint32_t device = 0;
    auto operator<=>(const Key&) const = default;
  };

  void learn(const Key& key, const TimePrediction& stored, double seconds, double now);
  [[nodiscard]] TimePrediction corrected(const Key& key, const TimePrediction& stored, double now) const;
  /// Null: nothing was learnt.
  [[nodiscard]] const Correction* find(const Key& key) const;
  /// Discards the kernel's corrections on all devices.
  void forget(std::uint64_t kernel);

 private:
  std::map<Key, Correction> corrections_;
  std::map<std::uint64_t, std::uint64_t> launches_;  // by kernel, on all devices
};

}  // namespace skmd::domain
