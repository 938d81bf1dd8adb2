// SPDX-License-Identifier: Apache-2.0
// SQLite whose calls of the operating system, and of the heap, fail on demand.
#pragma once

#include <sqlite3.h>

#include <cstdint>

namespace skmd::profiler::test {

/// Installs itself as the process's SQLite: its default file system, and its heap. To be made before SQLite is used,
/// and never destroyed. Not thread-safe.
class FaultySqlite {
 public:
  static FaultySqlite& instance();

  enum class What { none, file, file_for_good, heap };
  /// The call number `at`, from 1, fails; with file_for_good all later ones, too. Counting begins anew.
  void arm(What what, std::uint64_t at);
  /// Nothing fails any more. True: something had failed.
  bool disarm();

  /// For the functions of the file system and the heap: whether this call has to fail.
  bool fails(bool file);

 private:
  FaultySqlite();
  What what_ = What::none;
  std::uint64_t at_ = 0, calls_ = 0;
  bool failed_ = false;
};

}  // namespace skmd::profiler::test
