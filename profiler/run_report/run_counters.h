// SPDX-License-Identifier: Apache-2.0
// Counters of profiling mode in one process, in a mapped file that skmd-profile reads while the process runs and after
// it has ended in any way.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "partitioner/base/mutex.h"

namespace skmd::profiler {

/// Of one kernel, added up over processes.
struct KernelCounts {
  std::string program, name;
  std::uint64_t launches = 0;
  std::uint64_t profiled = 0;                     // launches of which at least one sample was taken
  std::vector<std::uint64_t> samples;             // per device, in the order of the virtual device's
  std::map<std::string, std::uint64_t> left_out;  // launches that were not profiled, by reason
};

/// Seconds of work that is known of: the spans of the launch that is being profiled, and those before it.
struct RunProgress {
  double done = 0.0, planned = 0.0;
  double launch = 0.0;  // of the application's own launch, which comes behind them; 0: not known
  std::string kernel;   // that is being profiled; "": none
};

/// Written by the driver. All functions but create() are thread-safe, and throw nothing.
class RunCounters {
 public:
  /// A new file in `folder`; null if it cannot be made.
  static std::unique_ptr<RunCounters> create(const std::filesystem::path& folder, std::size_t devices);
  ~RunCounters();
  RunCounters(const RunCounters&) = delete;
  RunCounters& operator=(const RunCounters&) = delete;

  /// Number of the kernel in what follows. Kernels beyond the file's 1,024 share the last number.
  std::size_t kernel(std::string_view program, std::string_view name) noexcept;
  void launched(std::size_t kernel) noexcept;
  void profiled(std::size_t kernel) noexcept;
  void sampled(std::size_t kernel, std::size_t device) noexcept;
  void left_out(std::size_t kernel, std::string_view reason) noexcept;
  void begin(std::size_t kernel, double planned_seconds) noexcept;
  /// What the launch itself is expected to take, until the next begin().
  void launch(double seconds) noexcept;
  void done(double seconds) noexcept;
  void end() noexcept;

 private:
  RunCounters(void* base, std::size_t devices) : base_(base), devices_(devices) {}
  void* base_;
  std::size_t devices_;
  Mutex mutex_{LockRank::run_counters};
};

/// Of all files in `folder`; what is unreadable or damaged is left out.
std::vector<KernelCounts> read_counts(const std::filesystem::path& folder);
RunProgress read_progress(const std::filesystem::path& folder);

}  // namespace skmd::profiler
