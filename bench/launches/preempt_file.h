// SPDX-License-Identifier: Apache-2.0
// A launch that is written to a file while it runs and completed in another process.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/launches/preempt_rows.h"

namespace bench {

struct FileOptions {
  double long_seconds = 2;  // of the launch
  int mib = 64;             // of the buffer that it reads
  int cut_off = 50;         // files that are cut off
};

/// {"equal","in_kernel","bytes","seconds","refused"}: whether the completed launch and the one that went on have the
/// results of an uninterrupted one; whether groups were stopped inside; the file; how many of those that were cut off
/// at random lengths were refused. Throws std::runtime_error if a process fails.
nlohmann::ordered_json measure_file(const PreemptPlace& place, const FileOptions& options);

/// In a process of its own: launches as it is told by lines of standard input. Throws ClError.
int hold_launches(const std::string& selector, double long_seconds, int mib);

}  // namespace bench
