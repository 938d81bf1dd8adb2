// SPDX-License-Identifier: Apache-2.0
// Machines and kernels by chance: a processor that works in place or none, accelerators behind fast and slow links.
#pragma once

#include <cmath>
#include <ostream>
#include <random>
#include <vector>

#include "tests/partitioner/planned_machine.h"

namespace skmd::domain::test {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed) {}
  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  double between(double low, double high) { return low + (high - low) * unit(); }
  /// Each order of magnitude as likely as another.
  double order_between(double low, double high) { return low * std::pow(high / low, unit()); }

 private:
  double unit() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  std::mt19937_64 random_;
};

/// What a launch moves, in bytes; none to or from devices that work in place.
struct Moved {
  double to_each = 0;      // per group
  double to_fixed = 0;     // for any slice
  double from_each = 0;    // per group
  double awaited = 1;      // part of what is sent to a device that the launch waits for
  double copied_each = 0;  // per group, inside host memory, for devices that work in place
};

struct RandomMachine {
  std::uint64_t seed = 0;
  std::vector<DeviceModel> devices;
  std::vector<bool> in_place;
  std::uint64_t groups = 0;
  Moved moved;
  double split_seconds = 0;
  double host_bytes_per_second = 20e9;
  Extent3 counts{0, 0, 0};  // zeros: boxes are not counted

  /// All devices are known well.
  RandomMachine(std::uint64_t the_seed, std::uint64_t device_count, std::uint64_t group_count)
      : seed(the_seed), groups(group_count) {
    Chance chance(seed);
    const double seconds = chance.order_between(3e-4, 1.0);  // of a device of middle speed
    const double rate = static_cast<double>(groups) / seconds;
    const double spread = chance.one_in(3) ? 1.0 : chance.order_between(1.0, 8.0);
    const bool processor = chance.below(4) != 0;
    for (std::uint64_t d = 0; d < device_count; ++d) {
      DeviceModel model = device(rate * chance.order_between(1.0 / spread, spread), 0.01);
      model.launch_seconds = chance.between(5e-6, 30e-6);
      if (chance.one_in(2)) model.whole_groups_per_second = model.groups_per_second * chance.between(1.0, 1.02);
      model.bytes_to_per_second = chance.order_between(2e9, 60e9);
      model.bytes_from_per_second = model.bytes_to_per_second * chance.between(0.7, 1.1);
      devices.push_back(model);
      in_place.push_back(processor && d == device_count / 2);
    }
    // Links of 2 to 60 GB/s that need a 100th of the running time or ten times as long.
    const double bytes = seconds * 10e9 * chance.order_between(0.01, 10.0) / static_cast<double>(groups);
    moved.to_each = chance.one_in(4) ? 0.0 : bytes;
    moved.from_each = chance.one_in(4) ? 0.0 : bytes * chance.between(0.1, 1.0);
    if (chance.one_in(3)) moved.to_fixed = chance.between(0.0, 0.3) * bytes * static_cast<double>(groups);
    if (chance.one_in(2)) {  // written for each launch
      moved.awaited = chance.one_in(2) ? 0.0 : chance.between(0.0, 1.0);
      moved.copied_each = (1.0 - moved.awaited) * moved.to_each + moved.from_each;
    }
    split_seconds = chance.one_in(2) ? 0.0 : chance.between(0.0, 60e-6);
  }

  void fill(PartitionRequest& request) const {
    request.devices = devices;
    request.groups = groups;
    request.split_seconds = split_seconds;
    request.group_counts = counts;
    request.granularity = counts[0] != 0 ? counts[0] : 1;
    request.host_bytes_per_second = host_bytes_per_second;
    request.bytes_to = [this](std::uint32_t d, const GroupSpan& span) {
      return Moving(bytes(d, span, moved.to_fixed, moved.to_each), copies(d, span));
    };
    request.bytes_from = [this](std::uint32_t d, const GroupSpan& span) {
      return Moving(bytes(d, span, 0.0, moved.from_each), 0);
    };
    if (moved.awaited < 1)
      request.bytes_awaited = [this](std::uint32_t d) {
        const auto all = static_cast<double>(bytes(d, {0, groups}, moved.to_fixed, moved.to_each));
        return static_cast<std::uint64_t>(moved.awaited * all);
      };
  }
  /// All that moves moves while devices run.
  void move_within_the_launch() {
    moved.awaited = 1.0;
    moved.from_each = moved.copied_each = 0.0;
  }
  [[nodiscard]] bool moves_within_the_launch() const { return moved.awaited == 1.0 && moved.from_each == 0.0; }
  [[nodiscard]] PartitionRequest request() const {
    PartitionRequest request;
    fill(request);
    return request;
  }

 private:
  [[nodiscard]] std::uint64_t copies(std::uint32_t d, const GroupSpan& span) const {
    return in_place[d] ? static_cast<std::uint64_t>(moved.copied_each * static_cast<double>(span.size())) : 0;
  }
  [[nodiscard]] std::uint64_t bytes(std::uint32_t d, const GroupSpan& span, double fixed, double each) const {
    return in_place[d] || span.empty() ? 0
                                       : static_cast<std::uint64_t>(fixed + each * static_cast<double>(span.size()));
  }
};

inline std::ostream& operator<<(std::ostream& out, const RandomMachine& m) {
  out << "seed " << m.seed << ": " << m.groups << " groups, bytes to " << m.moved.to_fixed << " + " << m.moved.to_each
      << " each, from " << m.moved.from_each << " each, awaited " << m.moved.awaited << ", copied "
      << m.moved.copied_each << " each, merge " << m.split_seconds;
  for (std::size_t d = 0; d < m.devices.size(); ++d) {
    const DeviceModel& model = m.devices[d];
    out << "\n  " << d << (m.in_place[d] ? " in place" : "") << ": " << model.groups_per_second << " ("
        << model.whole_groups_per_second << ") groups/s, launch " << model.launch_seconds << ", box "
        << model.box_seconds << ", links " << model.bytes_to_per_second << " " << model.bytes_from_per_second
        << ", error " << model.relative_error;
  }
  return out;
}

}  // namespace skmd::domain::test
