// SPDX-License-Identifier: Apache-2.0
// Samples and calibrations as files that can be read and compared: a first line that says where they are from, then a
// line for each, sorted.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "partitioner/base/result.h"
#include "partitioner/model/profile_sample.h"
#include "profiler/database/database.h"

namespace skmd::profiler {

struct ExchangeHead {
  std::string machine, processor, driver, commit, command, date;
  std::vector<std::string> devices, tags;
};

struct Exchange {
  ExchangeHead head;
  std::vector<domain::ProfileSample> samples;
  Calibrations calibrations = {};
};

/// As write_output() (output_file.h) writes it. `devices`, `tags` and `driver` of the head are filled from the samples
/// and calibrations where empty.
domain::Status write_exchange(const std::filesystem::path& file, Exchange exchange);

/// An error names the line and what is wrong with it; nothing is taken from such a file.
domain::Result<Exchange> read_exchange(const std::filesystem::path& file);

}  // namespace skmd::profiler
