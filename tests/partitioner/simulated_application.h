// SPDX-License-Identifier: Apache-2.0
// Applications and machines that exist as numbers only: what a device takes for a slice is known and added up, and
// bytes are where residency says. No clock, no thread.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "intercept/memory/rounds.h"
#include "partitioner/plan/partition.h"
#include "partitioner/residency/residency.h"

namespace skmd::domain::test {

struct TrueDevice {
  double speed = 1.0;          // of any kernel
  double width = 1.0;          // fewer groups than this take as long as so many
  double overhead = 10e-6;     // seconds of a slice
  double first_use = 1e-3;     // seconds, for each kernel
  bool in_place = false;       // works in the host's memory
  double to = 12e9;            // bytes per second
  double from = 12e9;          //
  double link_latency = 8e-6;  // seconds of a transfer
  DeviceModel told;            // what is known before anything is measured
};

/// What a launch does with a buffer: with its part of it, or with all of it for any part of the groups.
struct Use {
  std::size_t buffer = 0;
  bool reads = true;
  bool writes = false;
  bool whole = false;
  double part = 1.0;  // of the buffer, from its beginning: small launches use less
};

struct TrueLaunch {
  std::uint64_t kernel = 1;
  std::uint64_t groups = 1024;
  double seconds = 0.01;      // of all groups at speed 1
  std::vector<double> suits;  // per device: factor of its speed
  std::vector<Use> uses;
  double joining = 0.0;   // seconds that a split of it costs beyond what is predicted
  std::size_t shape = 0;  // launches of one shape share a decision
};

struct Step {
  enum Kind { write, launch, read } kind = launch;
  std::size_t index = 0;  // of the buffer or the launch
};

struct Application {
  std::string name;
  std::vector<std::uint64_t> buffers;  // bytes
  std::vector<TrueLaunch> launches;
  std::vector<std::vector<Step>> rounds;  // one after the other, from the beginning again after the last
};

/// Of a launch.
struct Ended {
  double seconds = 0.0;          // from the decision to the results
  double expected = 0.0;         // the same without noise
  std::vector<double> running;   // per slice: kernel time
  std::uint64_t first_uses = 0;  // a bit per device
};

/// Memory and devices while an application runs.
class World {
 public:
  static constexpr double kSplitSeconds = 40e-6;
  static constexpr double kHostCopy = 20e9;           // bytes per second of an application's own writes
  static constexpr std::uint64_t kDirect = 1u << 20;  // writes as large go to devices directly

  World(std::vector<TrueDevice> devices, const Application& application, std::uint64_t seed, double noise);

  /// Seconds.
  double write(std::size_t buffer);
  double read(std::size_t buffer);
  Ended launch(const TrueLaunch& launch, const std::vector<Slice>& slices);

  [[nodiscard]] const std::vector<TrueDevice>& devices() const { return devices_; }
  /// A second load on a device begins, or ends (1).
  void slow_down(std::uint32_t device, double factor) { devices_[device].speed = full_speed_[device] / factor; }

  /// What plans are told of bytes (intercept/launch/moving_bytes.h).
  [[nodiscard]] Moving bytes_to(const TrueLaunch& launch, std::uint32_t device, const GroupSpan& span) const;
  [[nodiscard]] std::uint64_t bytes_awaited(const TrueLaunch& launch, std::uint32_t device) const;
  [[nodiscard]] Moving bytes_from(const TrueLaunch& launch, std::uint32_t device, const GroupSpan& span) const;

  /// The application has written a buffer of the launch's anew, as it does in each round.
  [[nodiscard]] bool recurs(const TrueLaunch& launch) const {
    return std::any_of(launch.uses.begin(), launch.uses.end(),
                       [&](const Use& use) { return rounds_[use.buffer].recurs(maps_[use.buffer].bytes()); });
  }
  [[nodiscard]] std::uint32_t read_rhythm(const TrueLaunch& launch) const;

  [[nodiscard]] SpaceId space_of(std::uint32_t device) const {
    return devices_[device].in_place ? kHostSpace : device + 1;
  }

 private:
  [[nodiscard]] RangeSet range_of(const TrueLaunch& launch, const Use& use, const GroupSpan& span) const;
  [[nodiscard]] double sending(std::uint32_t device, std::uint64_t bytes) const;
  /// Makes bytes valid in the host's memory; seconds.
  double gather(std::size_t buffer, const RangeSet& ranges);
  double upload(const TrueLaunch& launch, const Slice& slice);
  [[nodiscard]] double running(const TrueLaunch& launch, const Slice& slice) const;
  double noisy();

  std::vector<TrueDevice> devices_;
  std::vector<double> full_speed_;
  std::vector<ResidencyMap> maps_;                                      // per buffer
  std::deque<icd::Rounds> rounds_;                                      // per buffer
  std::deque<icd::ReadBacks> reads_;                                    // per buffer
  std::vector<std::vector<std::pair<std::uint32_t, RangeSet>>> users_;  // per buffer: bytes that devices will need
  std::vector<std::pair<std::uint64_t, std::uint32_t>> used_;           // kernel, device
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  double noise_;
};

/// Chooses the slices of a launch, and is told how it ended.
class Decider {
 public:
  virtual ~Decider() = default;
  virtual std::vector<Slice> decide(const World& world, const TrueLaunch& launch) = 0;
  virtual void ended(const TrueLaunch& launch, const std::vector<Slice>& slices, const Ended& ended) = 0;
  /// So many seconds went into writes and reads.
  virtual void passed(double /*seconds*/) {}
};

/// Runs rounds [first, last); seconds without noise. `each`, if given, is told of each launch's.
double play(World& world, const Application& application, Decider& decider, std::size_t first, std::size_t last,
            const std::function<void(const TrueLaunch&, const Ended&)>& each = {});

/// The same shares for each launch.
class FixedDecider : public Decider {
 public:
  /// Per launch of the application: each device's share, sum 1.
  using Shares = std::vector<std::vector<double>>;
  FixedDecider(const Application& application, const Shares& shares);
  std::vector<Slice> decide(const World&, const TrueLaunch& launch) override { return slices_[index_of(launch)]; }
  void ended(const TrueLaunch&, const std::vector<Slice>&, const Ended&) override {}

 private:
  [[nodiscard]] std::size_t index_of(const TrueLaunch& launch) const;
  const Application& application_;
  std::vector<std::vector<Slice>> slices_;
};

/// Seconds of a round under the best fixed plan that a search finds, and its shares.
struct BestFixed {
  double seconds = 0.0;
  FixedDecider::Shares shares;
};
BestFixed best_fixed(const std::vector<TrueDevice>& devices, const Application& application);

}  // namespace skmd::domain::test
