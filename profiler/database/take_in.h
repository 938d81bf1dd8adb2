// SPDX-License-Identifier: Apache-2.0
// Takes the journals of processes that have ended into the database.
#pragma once

#include <filesystem>
#include <string>

#include "partitioner/base/result.h"
#include "profiler/database/database.h"

namespace skmd::profiler {

/// True if there are journals to import. Cheap.
bool has_journals(const std::filesystem::path& database);

struct TakenIn {
  std::size_t files = 0, samples = 0;
  std::string notice = {};  // ProfileDatabase::notice()
};

/// Creates the database where needed. A journal is removed when its samples are committed; one whose process lives is
/// left alone, and so is one that cannot be read. Any number of processes may do this at once: a sample counts once.
domain::Result<TakenIn> take_in_journals(const std::filesystem::path& database, const DatabaseLimits& limits = {});

}  // namespace skmd::profiler
