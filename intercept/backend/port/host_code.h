// SPDX-License-Identifier: Apache-2.0
// Our own code on the host's processors: merge functions of a program's kernels, and the threads they run on.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpu-driver/runtime/merge_run.h"
#include "cpu-driver/runtime/span_library.h"
#include "partitioner/base/byte_ranges.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// The span code of one program, loaded when a function is first asked for. Thread-safe.
class HostCode {
 public:
  using Find = std::function<cpu::MergeFunction(const std::string& kernel)>;

  /// `folder`: where code may be written while it is loaded, if the system refuses executable memory.
  HostCode(std::string artifact, std::string folder);
  /// For functions that are linked into the library.
  explicit HostCode(Find find) : find_(std::move(find)), tried_(true) {}

  /// `run` is null if there is no such function or the artifact cannot be loaded; problem() then says why.
  cpu::MergeFunction merge_function(const std::string& kernel);
  [[nodiscard]] std::string problem();

 private:
  Mutex mutex_{LockRank::host_code};
  std::string artifact_ SKMD_GUARDED_BY(mutex_);
  std::string folder_ SKMD_GUARDED_BY(mutex_);
  std::string problem_ SKMD_GUARDED_BY(mutex_);
  std::unique_ptr<cpu::SpanLibrary> library_;  // before find_ is set, which calls it
  Find find_ SKMD_GUARDED_BY(mutex_);
  bool tried_ SKMD_GUARDED_BY(mutex_) = false;
};

/// Calls `body` for pieces of `ranges` on the pool's threads and waits. No piece begins or ends inside an element of
/// `element` bytes, counted from each range's begin.
void for_each_piece(const domain::RangeSet& ranges, std::uint64_t element,
                    const std::function<void(const domain::ByteRange&)>& body);

/// Calls `body(i)` for i in [0, count) on the pool's threads, the caller's among them, and waits.
void host_threads(const std::function<void(std::size_t)>& body, std::size_t count);

/// memmove(), by several threads where that pays and the two do not overlap.
void copy_host(std::byte* to, const std::byte* from, std::uint64_t bytes);

/// Maps `bytes` bytes of zeroed memory, which take up memory only once they are touched, and then cost few page faults.
/// Null where the system refuses. Freed by munmap().
std::byte* map_host(std::uint64_t bytes);

/// Gives all pages of [begin, begin + bytes) their memory now, by several threads. Contents stay as they are. Without
/// effect where the system cannot; the pages then get it when they are touched.
void populate_host(std::byte* begin, std::uint64_t bytes);

}  // namespace skmd::icd
