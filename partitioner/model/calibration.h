// SPDX-License-Identifier: Apache-2.0
// Results of calibration: properties of a device and of its link with the host that depend on no kernel. SKMD (TOCS
// 2015), section 3.4, computes transfer and merge costs from such bandwidths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partitioner/model/profile_sample.h"

namespace skmd::domain {

struct BandwidthPoint {
  std::uint64_t bytes = 0;  // working set, read repeatedly
  double bytes_per_second = 0.0;
  bool operator==(const BandwidthPoint&) const = default;
};

/// The working set beyond which bandwidth falls, because a device's last cache is full.
struct CacheStep {
  double bytes = 0.0;              // of the cache; 0: no step was seen
  double inside_per_second = 0.0;  // bytes
  double beyond_per_second = 0.0;  // bytes; the same as inside without a step
  bool operator==(const CacheStep&) const = default;
};

struct DeviceCalibration {
  DeviceKey device;
  double launch_seconds = 0.0;     // of an empty kernel in a row of launches
  double box_seconds = 0.0;        // that one more box of a span costs
  double first_use_seconds = 0.0;  // that a kernel's first launch takes longer than its second
  CacheStep memory;
  std::vector<BandwidthPoint> bandwidth;  // in ascending order of sizes
  bool host_cores = false;                // it computes on the host's cores, as all devices with this mark do
  std::string commit;                     // of SKMD
  std::int64_t date = 0;                  // seconds since 1970, UTC
  bool operator==(const DeviceCalibration&) const = default;
};

enum class Direction : std::uint8_t { to, from };  // the device

struct TransferPoint {
  std::uint64_t bytes = 0;
  double seconds = 0.0;
  bool operator==(const TransferPoint&) const = default;
};

/// Seconds = latency + bytes / rate.
struct TransferLine {
  double latency_seconds = 0.0;
  double bytes_per_second = 0.0;  // 0: not known
  bool operator==(const TransferLine&) const = default;
};

/// One transfer method, measured at ascending sizes.
struct LinkWay {
  TransferLine line;
  std::uint32_t threads = 1;          // of the host, that the points were measured with
  std::vector<TransferPoint> points;  // in ascending order of sizes
  bool operator==(const LinkWay&) const = default;
};

/// The rate of a link while another link or a kernel is busy.
struct LinkBeside {
  std::string device;             // whose link is busy in the same direction, or that runs a kernel
  double bytes_per_second = 0.0;  // of this link meanwhile
  double other_per_second = 0.0;  // bytes that the other one moves, or its kernel reads, meanwhile
  bool operator==(const LinkBeside&) const = default;
};

struct LinkCalibration {
  std::string host;  // processor and number of its threads
  DeviceKey device;
  Direction direction = Direction::to;
  bool in_place = false;          // the device uses host memory: only copies that are made all the same cost this
  std::optional<LinkWay> direct;  // pageable memory, by the driver alone
  std::optional<LinkWay> pinned;  // page-locked memory
  std::optional<LinkWay> staged;  // pageable memory, which threads copy through page-locked memory
  std::vector<LinkBeside> beside_links, beside_kernels;
  std::string commit;
  std::int64_t date = 0;
  bool operator==(const LinkCalibration&) const = default;
};

}  // namespace skmd::domain
