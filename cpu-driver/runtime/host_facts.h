// SPDX-License-Identifier: Apache-2.0
// What the host reports of its processors and memory, for the description of the CPU device.
#pragma once

#include <cstdint>
#include <string>

namespace skmd::cpu {

struct HostFacts {
  std::string model = "CPU";        // as the processor calls itself
  std::string vendor = "unknown";   // likewise
  std::uint32_t processors = 1;     // that this process may use
  std::uint32_t megahertz = 1;      // at least 1
  std::uint32_t vector_bytes = 16;  // of the widest registers that code is generated for
  std::uint32_t line_bytes = 64;    // of the caches
  std::uint64_t cache_bytes = 0;    // of the last level; 0: unknown
  std::uint64_t memory_bytes = 0;   // of the machine
};

/// Facts that stand in the text of /proc/cpuinfo, over those of `facts`. Pure; any text will do.
HostFacts with_cpuinfo(HostFacts facts, const std::string& text);

/// This machine's.
HostFacts read_host_facts();

/// HostFacts::model of this machine, by what /proc/cpuinfo says of the first processor: the whole text of a machine of
/// many takes the system milliseconds to write.
std::string processor_name();

}  // namespace skmd::cpu
