// SPDX-License-Identifier: Apache-2.0
// Another name for a database file that cannot be used.
#pragma once

#include <sys/types.h>

#include <filesystem>

#include "partitioner/base/result.h"

namespace skmd::profiler {

/// The file that `file` names now; 0 without any.
ino_t file_at(const std::filesystem::path& file);

/// Gives `file` a name of its own, NAME.damaged-DATE, which is returned. Of the processes that find `damaged` damaged
/// the first does so; the others get "", and find its successor in its place. Waits at most `patience` milliseconds for
/// processes that are opening the database: SQLite finds a journal by the database's name, so that one that still reads
/// the damaged file would play its successor's into it. Precondition: the caller holds no FolderLock.
domain::Result<std::filesystem::path> set_aside(const std::filesystem::path& file, ino_t damaged, int patience);

}  // namespace skmd::profiler
