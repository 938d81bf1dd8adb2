// SPDX-License-Identifier: Apache-2.0
// Devices and links whose times are known, on a clock that only they move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "intercept/calibration/measure.h"

namespace skmd::icd::calibration {

/// Seconds; every piece of work takes up to `noise` more or less than it should.
struct World {
  double now = 0.0, noise = 0.0;
  std::mt19937 random{1};
  [[nodiscard]] Clock clock() {
    return [this] { return now; };
  }
  void spend(double seconds) { now += seconds * std::uniform_real_distribution<double>(1 - noise, 1 + noise)(random); }
};

class SimulatedDevice final : public DeviceProbe {
 public:
  explicit SimulatedDevice(World& world) : world_(world) {}
  double launch = 5e-6, way = 2e-5, box = 2e-6, first_use = 0.05, compiling = 0.1;
  double cache = 50e6, inside = 6e12, beyond = 3e12;
  const char* failing = "";  // the name of the function that fails
  std::uint64_t prepared = 0, largest = 0;
  int fresh = 0;

  Status prepare(std::uint64_t bytes) override {
    prepared = bytes;
    world_.spend(0.01);
    return failing_in("prepare");
  }
  Status launches(std::uint32_t count) override {
    world_.spend(way + count * launch);
    return failing_in("launches");
  }
  Status boxes(std::uint32_t count) override {
    world_.spend(way + launch + (count - 1) * box);
    return failing_in("boxes");
  }
  Status make_fresh() override {
    ++fresh;
    used_ = false;
    world_.spend(compiling);
    return failing_in("make_fresh");
  }
  Status launch_fresh() override {
    world_.spend(way + launch + (used_ ? 0.0 : first_use));
    used_ = true;
    return failing_in("launch_fresh");
  }
  Status read(std::uint64_t bytes, std::uint32_t passes) override {
    largest = std::max(largest, bytes);
    const auto all = static_cast<double>(bytes);
    world_.spend(way + launch + passes * all / (all <= cache ? inside : beyond));
    return failing_in("read");
  }

 private:
  Status failing_in(const std::string& function) const {
    return function == failing ? Status(domain::Error{-5, function + " fails"}) : Status();
  }
  World& world_;
  bool used_ = false;
};

class SimulatedLink final : public LinkProbe {
 public:
  explicit SimulatedLink(World& world) : world_(world) {}
  double latency = 1e-5, direct = 8.7e9, pinned = 5.5e10, thread = 8.9e9;  // bytes per second; a thread copies so many
  std::uint32_t threads = 8;
  std::optional<TransferWay> failing;
  std::vector<ProbedTransfer> seen;

  Status prepare(std::uint64_t) override { return {}; }
  [[nodiscard]] std::uint32_t most_threads() const override { return threads; }
  Status transfer(const ProbedTransfer& wanted) override {
    seen.push_back(wanted);
    if (wanted.way == failing) return domain::Error{-5, "it fails"};
    const double rate = wanted.way == TransferWay::direct   ? direct
                        : wanted.way == TransferWay::pinned ? pinned
                                                            : std::min(0.9 * pinned, wanted.threads * thread);
    world_.spend(latency + static_cast<double>(wanted.bytes) / rate);
    return {};
  }

 private:
  World& world_;
};

}  // namespace skmd::icd::calibration
