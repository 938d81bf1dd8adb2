// SPDX-License-Identifier: Apache-2.0
// SKMD_TRACE: Chrome's trace-event JSON. Each report's events are appended over the closing bracket and close the array
// again, in one write and at once: the file on disk is complete and valid whenever and however the process ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "intercept/observe/observer.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

class TraceFile {
 public:
  /// False with errno's text if the file cannot be made.
  bool open(const std::string& path, std::string& reason);
  ~TraceFile();

  void name_tracks(const std::vector<ObservedDevice>& devices);
  void add(const LaunchReport& report);
  void add(const TransferReport& report);
  void add(const MergeReport& report);

 private:
  void begin_event(const char* phase, std::uint64_t track) SKMD_REQUIRES(mutex_);
  void complete(const std::string& name, const char* category, std::uint64_t track, std::uint64_t start,
                std::uint64_t end) SKMD_REQUIRES(mutex_);
  void name_track(std::uint64_t track, const std::string& name) SKMD_REQUIRES(mutex_);
  void append() SKMD_REQUIRES(mutex_);

  Mutex mutex_{LockRank::trace_file};
  std::string pending_ SKMD_GUARDED_BY(mutex_);
  bool first_event_ SKMD_GUARDED_BY(mutex_) = true;
  int descriptor_ SKMD_GUARDED_BY(mutex_) = -1;
  long end_ SKMD_GUARDED_BY(mutex_) = 0;                // where the next events go: the place of the closing bracket
  std::uint64_t origin_ SKMD_GUARDED_BY(mutex_) = 0;    // time 0 of the file, steady clock
  std::uint64_t launches_ SKMD_GUARDED_BY(mutex_) = 0;  // numbers launches, so that slices of one can be found together
};

}  // namespace skmd::icd
