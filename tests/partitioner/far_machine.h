// SPDX-License-Identifier: Apache-2.0
// Machines whose devices are in several hosts, by chance, and what a launch takes there, said once more without the
// partitioner: a processor here, and hosts of like or unlike devices behind links of 1, 10 and 100 Gbit/s.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ostream>
#include <vector>

#include "tests/partitioner/random_machine.h"

namespace skmd::domain::test {

struct FarLink {
  double to = 1.25e9, from = 1.25e9;  // bytes per second
  double latency = 100e-6;            // seconds, a round trip
};

/// What a slice moves, in bytes; nothing for device 0, which works in host memory.
struct FarBytes {
  double to_fixed = 0;   // that any slice needs
  double to_each = 0;    // per group
  double from_each = 0;  // per group, read after each launch
  bool written = false;  // for each launch: sent before it, and not waited for by it
};

/// Device 0 is here; host h has the devices from 1 + h · each on.
struct FarMachine {
  std::uint64_t seed = 0, groups = 0, each = 1;
  std::vector<DeviceModel> devices;
  std::vector<FarLink> links;
  FarBytes bytes;
  double split_seconds = 40e-6;

  FarMachine(std::uint64_t the_groups, double rate_here) : groups(the_groups) {
    devices.push_back(device(rate_here, 0.01));
  }
  /// By chance.
  FarMachine(std::uint64_t the_seed, std::uint64_t hosts, std::uint64_t each_host, std::uint64_t the_groups)
      : seed(the_seed), groups(the_groups), each(each_host) {
    Chance chance(seed);
    const double seconds = chance.order_between(3e-3, 30.0);  // of a device of middle speed
    const double rate = static_cast<double>(groups) / seconds;
    const double spread = chance.one_in(2) ? 1.0 : chance.order_between(1.0, 8.0);
    devices.push_back(device(rate * chance.order_between(0.1, 1.0), 0.01));
    for (std::uint64_t h = 0; h < hosts; ++h) {
      FarLink link;
      link.to = 0.125e9 * std::pow(10.0, static_cast<double>(chance.below(3)));
      link.from = link.to * chance.between(0.7, 1.1);
      link.latency = chance.order_between(20e-6, 1e-3);
      const double like = rate * chance.order_between(1.0 / spread, spread);
      const bool alike = chance.one_in(2);
      std::vector<double> rates;
      for (std::uint64_t d = 0; d < each; ++d) rates.push_back(alike ? like : like * chance.order_between(0.5, 2.0));
      add_host(link, rates);
    }
    // From what hardly counts on the slowest link to what the fastest can hardly take.
    const double all = seconds * 1e9 * chance.order_between(1e-4, 10.0);
    bytes.to_each = chance.one_in(5) ? 0.0 : all / static_cast<double>(groups);
    bytes.to_fixed = chance.one_in(2) ? 0.0 : all * chance.order_between(1e-3, 0.3);
    bytes.from_each = chance.one_in(2) ? 0.0 : bytes.to_each * chance.between(0.1, 1.0);
    bytes.written = chance.one_in(2);
  }

  void add_host(const FarLink& link, const std::vector<double>& rates) {
    const auto first = static_cast<std::uint32_t>(devices.size());
    each = rates.size();
    links.push_back(link);
    for (const double rate : rates) {
      DeviceModel model = device(rate, 0.01);
      model.launch_seconds += link.latency;
      model.link = {.latency_seconds = 0.0, .small_part = 0.0, .bulk_seconds = link.latency};
      model.bytes_to_per_second = link.to;
      model.bytes_from_per_second = link.from;
      model.shared_link = first + 1;
      devices.push_back(model);
    }
  }

  [[nodiscard]] std::uint64_t to(std::uint32_t d, std::uint64_t count) const {
    return d == 0 || count == 0
               ? 0
               : static_cast<std::uint64_t>(bytes.to_fixed + bytes.to_each * static_cast<double>(count));
  }
  [[nodiscard]] std::uint64_t from(std::uint32_t d, std::uint64_t count) const {
    return d == 0 ? 0 : static_cast<std::uint64_t>(bytes.from_each * static_cast<double>(count));
  }
  [[nodiscard]] PartitionRequest request() const {
    PartitionRequest request;
    request.devices = devices;
    request.groups = groups;
    request.split_seconds = split_seconds;
    request.bytes_to = [this](std::uint32_t d, const GroupSpan& span) { return Moving(to(d, span.size())); };
    request.bytes_from = [this](std::uint32_t d, const GroupSpan& span) { return Moving(from(d, span.size())); };
    if (bytes.written) request.bytes_awaited = [](std::uint32_t) { return std::uint64_t{0}; };
    return request;
  }

  /// Seconds of a launch of which each device runs so many groups: the host's transfers come one after the other and
  /// pay for one round trip, all its devices begin when the last byte has come, and every device pays for a round trip
  /// of its launch.
  [[nodiscard]] double seconds(const std::vector<std::uint64_t>& counts) const {
    const auto alone = [&](std::size_t d) { return static_cast<double>(counts[d]) / devices[d].groups_per_second; };
    double before = 0, after = 0;
    double running = counts[0] > 0 ? devices[0].launch_seconds + alone(0) : 0.0;
    std::uint64_t slices = counts[0] > 0 ? 1 : 0;
    for (std::size_t h = 0; h < links.size(); ++h) {
      std::uint64_t sent = 0, read = 0;
      double longest = 0;
      for (std::size_t d = 1 + h * each; d < 1 + (h + 1) * each; ++d) {
        if (counts[d] == 0) continue;
        ++slices;
        sent += to(static_cast<std::uint32_t>(d), counts[d]);
        read += from(static_cast<std::uint32_t>(d), counts[d]);
        longest = std::max(longest, devices[d].launch_seconds + alone(d));
      }
      const FarLink& link = links[h];
      const double sending = sent > 0 ? link.latency + static_cast<double>(sent) / link.to : 0.0;
      after = std::max(after, read > 0 ? link.latency + static_cast<double>(read) / link.from : 0.0);
      before = std::max(before, bytes.written ? sending : 0.0);
      running = std::max(running, longest + (bytes.written ? 0.0 : sending));
    }
    return before + running + after + (slices > 1 ? split_seconds : 0.0);
  }

  [[nodiscard]] std::vector<std::uint64_t> counts(const Plan& plan) const {
    std::vector<std::uint64_t> counts(devices.size());
    for (const Slice& slice : plan.slices) counts[slice.device] += slice.span.size();
    return counts;
  }
};

/// The least of FarMachine::seconds() over all numbers of groups: for a handful of devices and groups.
class EveryCount {
 public:
  explicit EveryCount(const FarMachine& machine) : machine_(machine), counts_(machine.devices.size()) {}
  double seconds() {
    place(0, machine_.groups);
    return best_;
  }
  [[nodiscard]] const std::vector<std::uint64_t>& counts() const { return best_counts_; }

 private:
  void place(std::size_t d, std::uint64_t left) {
    if (d + 1 == counts_.size()) {
      counts_[d] = left;
      const double seconds = machine_.seconds(counts_);
      if (seconds >= best_) return;
      best_ = seconds;
      best_counts_ = counts_;
      return;
    }
    for (std::uint64_t count = 0; count <= left; ++count) {
      counts_[d] = count;
      place(d + 1, left - count);
    }
  }
  const FarMachine& machine_;
  std::vector<std::uint64_t> counts_, best_counts_;
  double best_ = std::numeric_limits<double>::infinity();
};

inline std::ostream& operator<<(std::ostream& out, const FarMachine& m) {
  out << "seed " << m.seed << ": " << m.groups << " groups, bytes to " << m.bytes.to_fixed << " + " << m.bytes.to_each
      << " each" << (m.bytes.written ? ", written for each launch" : "") << ", from " << m.bytes.from_each << " each";
  for (std::size_t d = 0; d < m.devices.size() && d < 20; ++d) {
    const DeviceModel& model = m.devices[d];
    out << "\n  " << d << ": " << model.groups_per_second << " groups/s, link " << model.shared_link << " of "
        << model.bytes_to_per_second << " " << model.bytes_from_per_second << ", " << model.link.bulk_seconds << " s";
  }
  return out;
}

}  // namespace skmd::domain::test
