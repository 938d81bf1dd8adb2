// SPDX-License-Identifier: Apache-2.0
// What build, command and launch report to. One Observer per process fans out to stats, trace and log. All functions
// are thread-safe, cheap when nothing listens, and never fail the caller. Times: host steady clock, nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "intercept/observe/preempt_report.h"
#include "partitioner/merge/merge.h"
#include "partitioner/plan/partition.h"
#include "partitioner/traits/traits.h"

namespace skmd::icd {

enum class LogLevel : std::uint8_t { off, error, warn, info, debug };

struct ObservedDevice {
  std::string name, kind, backend;
  std::string host = {};  // of a device in another machine: HOST:PORT
};

/// Another machine whose devices were asked for.
struct ObservedHost {
  std::string address;  // HOST:PORT
  /// Of the link to it; nothing: not measured yet. Gigabytes (10^9) per second of large transfers.
  std::optional<double> round_trip_us = {}, to_gbps = {}, from_gbps = {};
  bool lost = false;  // it was away at the start, or its devices are set aside
};

struct SliceReport {
  std::uint32_t device = 0;
  domain::GroupSpan span;
  std::uint64_t start = 0, end = 0;
  std::uint64_t run_ns = 0;        // of the kernel, by the device's clock; 0: not known
  double predicted_seconds = 0.0;  // of the kernel; 0: nothing was predicted
  std::uint64_t upload_bytes = 0;  // that the slice waited for
  std::uint64_t upload_ns = 0;     // how long they took; 0: not known
};

using domain::ModelSource;
/// Names of the schema.
const char* name(ModelSource source);

/// One completed launch, taken at the port after completion.
struct LaunchReport {
  std::string kernel;
  std::string program;  // content hash
  domain::AccessClass access = domain::AccessClass::discontiguous;
  std::vector<SliceReport> slices;
  std::optional<domain::NotSplit> not_split;  // set iff the launch stayed whole
  std::vector<domain::Rung> rungs;            // of each written root buffer; of split launches only
  double seconds = 0.0;                       // from first transfer or slice to the end of the merge
  double predicted_seconds = 0.0;
  ModelSource predicted_by = ModelSource::none;
  PreemptReport preempt = {};
};

struct TransferReport {
  std::uint32_t device = 0;
  std::uint64_t bytes_to = 0, bytes_from = 0;
  std::uint64_t start = 0, end = 0;
  std::string what;  // e.g. the kernel or command that needed it
};

/// A buffer or image of which a device holds nothing any more, to make room for others.
struct DropReport {
  std::uint32_t device = 0;
  std::uint64_t moved_out = 0;  // bytes that had to be brought to host memory before
};

struct MergeReport {
  std::string kernel;
  domain::Rung rung = domain::Rung::none;
  std::uint64_t bytes = 0;
  std::uint64_t start = 0, end = 0;
  std::optional<std::uint32_t> device = std::nullopt;  // that merged; nothing: the host
};

struct VerifyReport {
  std::string kernel;
  std::uint32_t device = 0;
  std::uint32_t argument = 0;
  std::uint64_t launch = 0;             // reports of one launch share a number and count as one; 0: a launch of its own
  std::uint64_t mismatching_bytes = 0;  // 0: equal
  std::uint64_t first_offset = 0;
  std::string detail;
};

/// A launch that our CPU driver left to another one.
struct OtherDriverReport {
  std::string kernel, reason;
};

/// A launch of checked code that had traps (SKMD_CHECK).
struct TrapReport {
  std::string kernel;
  std::uint64_t count = 0;      // of its traps; the following describe the first one
  std::uint32_t line = 0;       // 0: it is not known
  std::string file;             // where headers or #line name one
  const char* kind = "";        // one of a fixed list (cpu-driver/span_code.h)
  std::uint64_t item[3] = {};   // the work-item's global id
  std::uint64_t never_ran = 0;  // work-groups that did not run because of it
};

/// What became of a launch on devices that work-items leave where they would trap (SKMD_CHECK=deopt).
struct LeftReport {
  std::uint64_t items = 0, groups = 0;  // that left their device and ended on the CPU
  std::string why_not = {};             // of a closed list: why some device had no part in the launch; "": all might
};

/// A launch whose state was written to a file.
struct CheckpointReport {
  std::uint64_t bytes = 0;  // of the file
  double seconds = 0.0;     // that the launch stood still for it
};

/// What a program's build for one device has come to.
enum class BuildState : std::uint8_t {
  waiting,   // not begun; it may be, when a launch needs the device
  building,  // by some thread
  built,
  failed,
  dropped,   // the program was given up before its turn came
  unneeded,  // nothing needed it there for as long as the program was
};
const char* name(BuildState state);

struct BuildReport {
  std::string program;  // content hash
  std::uint32_t device = 0;
  BuildState state = BuildState::built;  // an end: built, failed, dropped or unneeded
  std::string reason;                    // of a failure
  double seconds = 0.0;
  bool late = false;  // the call that built the program had returned
};

struct ObserverOptions {
  std::string stats_file;     // SKMD_STATS; %p is replaced here, in all file names
  std::string trace_file;     // SKMD_TRACE
  std::string log;            // SKMD_LOG: "", "off", "error", … or "level:file"
  std::string shared_folder;  // SKMD_STATS_SHM, set by skmd-run: counters also live in a mapped file here
  bool count = false;         // count for stats_json() even if no file is wanted
};

class Observer {
 public:
  explicit Observer(const ObserverOptions& options);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  void devices(const std::vector<ObservedDevice>& devices);
  /// Other machines that were asked for. Replaces what was reported before; the first time before devices(), and then
  /// always as many.
  void hosts(const std::vector<ObservedHost>& hosts);
  /// How launches are divided. Once, before devices().
  void partition_mode(domain::PartitionMode mode);
  void launch(const LaunchReport& report);
  void transfer(const TransferReport& report);
  void merge(const MergeReport& report);
  void dropped(const DropReport& report);
  void partition(std::uint64_t nanoseconds);
  void verify(const VerifyReport& report);
  void other_driver(const OtherDriverReport& report);
  /// Nothing is logged: the launch that failed is.
  void trap(const TrapReport& report);
  void left(const LeftReport& report);
  void checkpoint(const CheckpointReport& report);
  /// The profile database of this process; "": there is none. Once, before devices().
  void profile_file(const std::string& file);
  /// So many samples were left for it, in place of the number reported before. `problem`: why later ones are not; ""
  /// does not take back one that was reported. The first one is logged as a warning.
  void profile_written(std::uint64_t samples, const std::string& problem);
  /// So many samples of it are in the model, likewise; `problem`, logged each time: why others are not.
  void profile_loaded(std::uint64_t samples, const std::string& problem);
  /// A failure is logged as well, a late one as a warning.
  void build(const BuildReport& report);
  /// A context died: the stats file is rewritten now.
  void context_ended();

  [[nodiscard]] bool logs(LogLevel level) const;
  void log(LogLevel level, const std::string& text);
  /// True if launches and transfers are to be reported (trace or stats on).
  [[nodiscard]] bool listens() const;
  /// True if transfers and slices need native times (trace on).
  [[nodiscard]] bool wants_times() const;
  /// The stats document, schema version 1; all counts are zero when neither a stats file, a shared folder nor `count`
  /// was asked for.
  [[nodiscard]] std::string stats_json() const;

 private:
  struct State;
  State* state_;  // never destroyed at process exit: other threads may still report
};

}  // namespace skmd::icd
