// SPDX-License-Identifier: Apache-2.0
// Sentences about one kernel's work on each device, from statistics. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skmd::profiler {

/// One device's part of all launches of a kernel. Seconds of 0 were not measured, or nothing was predicted.
struct DeviceWork {
  std::string device;
  std::uint64_t groups = 0;
  double seconds = 0.0;            // of the kernel, by the device's clock
  double predicted_seconds = 0.0;  // of those launches of which something was predicted
  double compared_seconds = 0.0;   // that these took
  double link_seconds = 0.0;       // of transfers to it and from it
  std::uint64_t link_bytes = 0;
};

/// "A ran 3 work-groups (75.0%), in 2 ms by its clock; 1 ms were predicted where it took 1.1 ms."
std::string ran_sentence(const DeviceWork& work, std::uint64_t all_groups);

/// The bottleneck: a device, a link, or host memory, which several links share; or that it is not known.
std::string bound_sentence(const std::vector<DeviceWork>& works);

/// Of a kernel whose launches were all split: how far the devices were from ending together; "" where it is not known.
std::string balance_sentence(const std::vector<DeviceWork>& works);

/// How SKMD_PARTITION=`mode` divides; "" for a mode that is not known.
std::string_view mode_sentence(std::string_view mode);

/// "3.2 ms"; in us, ms or s.
std::string duration(double seconds);

/// "3 bytes", "1.5 MiB".
std::string byte_count(std::uint64_t count);

}  // namespace skmd::profiler
