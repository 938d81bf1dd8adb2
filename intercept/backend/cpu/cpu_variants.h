// SPDX-License-Identifier: Apache-2.0
// SKMD_TEST_CPUS: several devices of our CPU driver in one machine, with unlike code, so that decisions over unlike
// devices are tested where there is one processor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "partitioner/base/result.h"

namespace skmd::icd {

struct CpuVariant {
  std::string isa;        // as SKMD_TEST_CPUS names it: `best`, `sse`, …
  std::string target;     // that code is made for, as compilers know it
  unsigned threads = 1;   // that run kernels at once
  bool discrete = false;  // does as if it had memory of its own
  bool operator==(const CpuVariant&) const = default;
};

inline constexpr unsigned kMaxCpuThreads = 4096;  // that a setting may ask for

/// `ISA:THREADS` or `ISA:THREADS@discrete`, separated by commas; ISA is `best` or a name that SKMD_TEST_ISA takes and
/// that runs here; "": none. An error names the part that is wrong.
domain::Result<std::vector<CpuVariant>> parse_cpu_variants(std::string_view text);

}  // namespace skmd::icd
