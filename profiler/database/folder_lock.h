// SPDX-License-Identifier: Apache-2.0
// A lock on the folder of a database, for the moments in which its file may get another name.
#pragma once

#include <filesystem>

namespace skmd::profiler {

/// An flock on the folder, which leaves no file behind. Not on the database: closing a second descriptor of that would
/// drop SQLite's locks of the whole process.
class FolderLock {
 public:
  enum class Kind { shared, exclusive };
  /// Waits at most `patience` milliseconds; held() tells.
  FolderLock(const std::filesystem::path& file, Kind kind, int patience);
  ~FolderLock() { release(); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  [[nodiscard]] bool held() const { return descriptor_ >= 0; }
  void release();

 private:
  int descriptor_;
};

}  // namespace skmd::profiler
