// SPDX-License-Identifier: Apache-2.0
// Hundreds of launches in `auto` on machines that exist as numbers only: the real plans and the real model, with a
// clock that is added up.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "partitioner/model/rate_model.h"
#include "partitioner/plan/partition.h"

namespace skmd::domain {
namespace {

constexpr double kSplitSeconds = 40e-6;
constexpr double kNoise = 0.05;  // of times, standard deviation

struct SimulatedDevice {
  double groups_per_second = 0;
  double strength = 1;      // as far as the driver can tell beforehand
  double width = 1;         // fewer groups than this take as long as this many
  double overhead = 10e-6;  // of a slice
  double first_use = 0;     // compiling
  bool on_host = false;     // needs no transfers
  double link = 8e9;        // bytes per second, both ways
};

struct SimulatedKernel {
  std::uint64_t groups = 1024;
  double bytes_each = 0;   // per group, that the host writes before each launch and reads after it
  double bytes_fixed = 0;  // that every device needs, however small its slice
  double joining = 0;      // seconds that a split costs beyond predictions
};

class Simulation {
 public:
  Simulation(std::vector<SimulatedDevice> devices, SimulatedKernel kernel, std::uint32_t anchor = 0)
      : devices_(std::move(devices)),
        kernel_(kernel),
        anchor_(anchor),
        rates_(std::make_unique<MeasuredRates>(constants())),
        used_(devices_.size()) {
    range_ = {1, {0, 0, 0}, {kernel.groups * 64, 1, 1}, {64, 1, 1}};
  }

  /// Seconds from host to host of `launches` launches.
  double run(int launches) {
    double sum = 0;
    for (int i = 0; i < launches; ++i) sum += launch();
    return sum;
  }

  /// The same if one device did all of them, without noise.
  [[nodiscard]] double best_single(int launches) const {
    double best = std::numeric_limits<double>::infinity();
    for (std::uint32_t d = 0; d < devices_.size(); ++d) best = std::min(best, alone(d) * launches);
    return best;
  }
  [[nodiscard]] double alone(std::uint32_t d) const {
    return running(d, kernel_.groups) + 2 * bytes(d, kernel_.groups) / devices_[d].link;
  }
  /// The same for slices of ideal length, each of a time proportional to its length.
  [[nodiscard]] double ideal(int launches) const {
    double rate = 0;
    for (std::uint32_t d = 0; d < devices_.size(); ++d) rate += 1.0 / alone(d);
    return launches / rate;
  }
  [[nodiscard]] const Plan& last() const { return last_; }
  [[nodiscard]] int splits() const { return splits_; }
  void slow_down(std::uint32_t d, double factor) { devices_[d].groups_per_second /= factor; }
  void set_joining(double seconds) { kernel_.joining = seconds; }

 private:
  std::vector<DeviceModel> constants() const {
    std::vector<DeviceModel> models(devices_.size());
    for (std::size_t d = 0; d < models.size(); ++d) {
      models[d].strength = devices_[d].strength;
      models[d].units = static_cast<std::uint64_t>(devices_[d].width);
      models[d].first_use_seconds = devices_[d].first_use;
    }
    return models;
  }
  [[nodiscard]] double running(std::uint32_t d, std::uint64_t groups) const {
    const SimulatedDevice& device = devices_[d];
    return device.overhead + std::max(static_cast<double>(groups), device.width) / device.groups_per_second;
  }
  [[nodiscard]] double bytes(std::uint32_t d, std::uint64_t groups) const {
    return devices_[d].on_host ? 0.0 : kernel_.bytes_fixed + kernel_.bytes_each * static_cast<double>(groups);
  }
  double noisy() { return std::max(0.5, 1.0 + kNoise * normal_(random_)); }

  double launch() {
    PartitionRequest request;
    std::vector<DeviceModel> models;
    for (std::uint32_t d = 0; d < devices_.size(); ++d) {
      models.push_back(rates_->predict(1, d, range_));
      models.back().bytes_to_per_second = models.back().bytes_from_per_second = devices_[d].link;
    }
    request.groups = kernel_.groups;
    request.anchor = anchor_;
    request.devices = models;
    request.split_seconds = kSplitSeconds;
    request.planning_seconds = 20e-6;
    request.experience = rates_->experience(1, range_);
    request.bytes_to = request.bytes_from = [&](std::uint32_t d, const GroupSpan& span) {
      return static_cast<std::uint64_t>(bytes(d, span.size()));
    };
    const Plan before = last_;
    if (!before.slices.empty()) request.previous = &before;
    last_ = partition(request);
    return carry_out();
  }

  double carry_out() {
    const bool split = last_.slices.size() > 1;
    double results_there = 0;
    double results_home = 0;
    std::uint64_t first_uses = 0;
    for (const Slice& slice : last_.slices) {
      const std::uint32_t d = slice.device;
      const double run = running(d, slice.span.size()) * noisy();
      const double move = bytes(d, slice.span.size()) / devices_[d].link;
      double end = move + run;
      if (!used_[d]) {
        used_[d] = true;
        first_uses |= std::uint64_t{1} << d;
        end += devices_[d].first_use;
      }
      rates_->learn({1, d, range_, slice.span, static_cast<std::uint64_t>(run * 1e9), ((first_uses >> d) & 1) != 0});
      results_there = std::max(results_there, end);
      results_home = std::max(results_home, end + move);
    }
    const double extra = split ? kSplitSeconds + kernel_.joining : 0.0;
    splits_ += split ? 1 : 0;
    LaunchOutcome outcome{1, range_, last_.alone_seconds, 0.0, split, last_.exploring, split ? first_uses : 0};
    if (split) outcome.seconds = results_there + extra;
    rates_->launched(outcome);
    return results_home + extra;
  }

  std::vector<SimulatedDevice> devices_;
  SimulatedKernel kernel_;
  std::uint32_t anchor_;
  std::unique_ptr<MeasuredRates> rates_;
  NdRange range_;
  std::vector<bool> used_;
  Plan last_;
  int splits_ = 0;
  std::mt19937_64 random_{17};
  std::normal_distribution<double> normal_;
};

SimulatedDevice gpu(double groups_per_second, double strength = 1, double width = 1) {
  SimulatedDevice device;
  device.groups_per_second = groups_per_second;
  device.strength = strength;
  device.width = width;
  device.first_use = 1e-3;
  return device;
}

SimulatedDevice processor(double groups_per_second, double width = 1) {
  SimulatedDevice device;
  device.groups_per_second = groups_per_second;
  device.width = width;
  device.first_use = 0.2;
  device.on_host = true;
  return device;
}

struct Case {
  std::uint64_t groups = 1024;
  double seconds = 0.01;  // of the launch on one GPU, without transfers
  double ratio = 1;       // GPU to processor
  int gpus = 1;
  double transfers = 0;  // to the launch's seconds, each way
  double gpu_width = 1;
  double strength = 40;  // that GPUs seem to have beside the processor
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.groups << " groups, " << c.seconds << " s, GPU " << c.ratio << " times faster (" << c.strength
       << " expected), " << c.gpus << " GPUs, transfers " << c.transfers << " times as long, width " << c.gpu_width;
}

/// The processor first: nothing may depend on the order.
Simulation simulation_of(const Case& c) {
  const double rate = static_cast<double>(c.groups) / c.seconds;
  std::vector<SimulatedDevice> devices{processor(rate / c.ratio, std::min<double>(16, static_cast<double>(c.groups)))};
  for (int i = 0; i < c.gpus; ++i) devices.push_back(gpu(rate, c.strength, c.gpu_width));
  SimulatedKernel kernel;
  kernel.groups = c.groups;
  kernel.bytes_each = c.seconds * c.transfers * 8e9 / static_cast<double>(c.groups);
  return {std::move(devices), kernel, 1};
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::uint64_t groups : {16, 64, 1024, 1 << 14, 1 << 20})
    for (const double seconds : {2e-5, 1e-3, 0.2})
      for (const double ratio : {1.0, 3.0, 30.0, 1000.0})
        for (const int gpus : {1, 2, 4})
          for (const double transfers : {0.0, 0.1, 10.0})
            for (const double width : {1.0, 132.0})
              if (width < static_cast<double>(groups)) all.push_back({groups, seconds, ratio, gpus, transfers, width});
  return all;
}

/// Twice the first uses: more than one kind of first use may be met, and what they cost is a guess.
double exploring_allowance(const Case& c, double alone) { return 2 * alone + 2 * (0.2 + c.gpus * 1e-3); }

// Launches of 20 us to 0.2 s, of few groups and many, with and without transfers, beside a processor that is as fast or
// a thousand times slower.
TEST(AutoSimulation, NeverLosesBadlyAgainstTheGpu) {
  for (const Case& c : cases()) {
    for (const int launches : {1, 5, 50, 500}) {
      Simulation s = simulation_of(c);
      const double alone = s.alone(1);
      EXPECT_LE(s.run(launches), 1.05 * launches * alone + exploring_allowance(c, alone))
          << testing::PrintToString(c) << ", " << launches << " launches";
    }
  }
}

// What a machine's devices are is said by kind, units and clock; where that is wrong, the launches must be long enough
// to find out cheaply.
TEST(AutoSimulation, NeverLosesBadlyWhereAllDevicesLookAlike) {
  for (Case c : cases()) {
    // Unknown kernels run where the bytes are: with the processor, if it looks as strong.
    if (c.groups < 1 << 14 || c.transfers > 0) continue;
    c.strength = 1;
    for (const int launches : {5, 50, 500}) {
      Simulation s = simulation_of(c);
      const double alone = s.alone(1);
      EXPECT_LE(s.run(launches), 1.05 * launches * alone + exploring_allowance(c, alone))
          << testing::PrintToString(c) << ", " << launches << " launches";
    }
  }
}

// With expectations that are about right, the processor is found where the data's way to the GPU is too long.
TEST(AutoSimulation, FindsTheBestDevice) {
  for (Case c : cases()) {
    if (c.seconds < 1e-3 || c.groups < 1024) continue;
    c.strength = c.ratio;
    constexpr int kWarm = 600;
    constexpr int kLaunches = 50;
    Simulation s = simulation_of(c);
    s.run(kWarm);
    EXPECT_LE(s.run(kLaunches), 1.05 * s.best_single(kLaunches) + 2 * kLaunches * kSplitSeconds)
        << testing::PrintToString(c);
  }
}

TEST(AutoSimulation, EqualGpusShareAComputeBoundKernel) {
  for (const int gpus : {2, 3, 4}) {
    for (const std::uint64_t groups : {64, 1024, 100'000}) {
      const double rate = static_cast<double>(groups) / 0.02;
      Simulation s(std::vector<SimulatedDevice>(static_cast<std::size_t>(gpus), gpu(rate)), {.groups = groups});
      EXPECT_LE(s.run(20), 1.05 * s.best_single(20)) << gpus << " GPUs, " << groups << " groups";
      EXPECT_EQ(s.last().slices.size(), static_cast<std::size_t>(gpus));
      EXPECT_LE(s.run(50), 1.12 * s.ideal(50)) << gpus << " GPUs, " << groups << " groups";
    }
  }
}

TEST(AutoSimulation, FirstLaunchesOfEqualGpusCostNoMoreThanOneAlone) {
  Simulation s({gpu(1e5), gpu(1e5)}, {.groups = 2000});
  const double alone = s.alone(0);
  int halves = 0;
  for (int i = 0; i < 10; ++i) {
    const double seconds = s.run(1);
    EXPECT_LE(seconds, 1.25 * alone + 1e-3) << i;
    halves += seconds < 0.6 * alone ? 1 : 0;
  }
  EXPECT_GE(halves, 3);
}

TEST(AutoSimulation, GpusOfUnequalSpeedAndWidthShareInProportion) {
  // A slice of fewer than 132 groups takes as long as 132: only longer slices tell the speed.
  Simulation s({gpu(3e5, 3, 132), gpu(1e5, 1, 132)}, {.groups = 6000});
  s.run(30);
  EXPECT_LE(s.run(50), 1.12 * s.ideal(50));
}

TEST(AutoSimulation, ProcessorThatHelpsALittleIsNotWorthARisk) {
  Simulation s({processor(1e5 / 30, 16), gpu(1e5, 30)}, {.groups = 10'000});
  s.run(100);
  EXPECT_LE(s.run(100), 1.02 * s.best_single(100));
}

TEST(AutoSimulation, SplitsThatLoseAreTakenBackAndRarelyTriedAgain) {
  Simulation s({gpu(1e5), gpu(1e5)}, {.groups = 2000});
  const double alone = s.alone(0);
  s.set_joining(alone);  // it is not predicted
  const double total = s.run(1000);
  EXPECT_LE(s.splits(), 16);
  EXPECT_LE(total, 1.05 * 1000 * alone);
  s.set_joining(0);
  s.run(2000);
  EXPECT_LE(s.run(50), 1.12 * s.ideal(50));
}

TEST(AutoSimulation, FollowsADeviceThatBecomesSlower) {
  Simulation s({gpu(1e5), gpu(1e5)}, {.groups = 2000});
  s.run(30);
  s.slow_down(0, 4);
  s.run(100);
  EXPECT_LE(s.run(50), 1.1 * s.best_single(50));
}

}  // namespace
}  // namespace skmd::domain
