// SPDX-License-Identifier: Apache-2.0
// The counters behind SKMD_STATS and their JSON, schema version 1. Values only: no lock, no file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "intercept/observe/checkpoint_stats.h"
#include "intercept/observe/observer.h"
#include "intercept/observe/preempt_stats.h"
#include "intercept/observe/time_histogram.h"
#include "intercept/observe/trap_stats.h"

namespace skmd::icd {

class Stats {
 public:
  /// Device indices of later reports count in this list; an index outside of it is not counted.
  void set_devices(const std::vector<ObservedDevice>& devices);
  void set_hosts(const std::vector<ObservedHost>& hosts) { hosts_ = hosts; }
  /// Index of the kernel's entry: kernels are told apart by name and program.
  std::size_t add_launch(const LaunchReport& report);
  void add_transfer(const TransferReport& report);
  void set_mode(domain::PartitionMode mode) { mode_ = mode; }
  void add_drop(const DropReport& report);
  void add_partition(std::uint64_t nanoseconds) { partition_.add(nanoseconds); }
  void add_verify(const VerifyReport& report);
  void add_other_driver(const OtherDriverReport& report);
  void add_trap(const TrapReport& report) { traps_.add(report); }
  void add_left(const LeftReport& report) { traps_.add(report); }
  void add_checkpoint(const CheckpointReport& report) { checkpoints_.add(report); }
  void set_profile_file(const std::string& file) { profile_.file = file; }
  void set_profile_written(std::uint64_t samples, const std::string& problem) {
    profile_.written = samples;
    if (!problem.empty()) profile_.write_problem = problem;
  }
  void set_profile_loaded(std::uint64_t samples, const std::string& problem) {
    profile_.loaded = samples;
    if (!problem.empty()) profile_.load_problem = problem;
  }
  /// The indices of the kernels whose entry has changed by it: those of the program that were launched.
  std::vector<std::size_t> add_build(const BuildReport& report);

  [[nodiscard]] std::size_t kernel_count() const { return kernels_.size(); }
  // The document in pieces: head, one element per kernel joined by commas, tail. The tail lacks `cached`, which changes
  // with every launch: launches without as many partitions, or 0.
  [[nodiscard]] std::string head() const;
  [[nodiscard]] std::string kernel(std::size_t index) const;
  [[nodiscard]] std::string tail() const;
  [[nodiscard]] std::string document() const;
  /// Bytes: the text of this piece never gets longer, for any values of the counters.
  [[nodiscard]] std::size_t kernel_bound(std::size_t index) const;
  [[nodiscard]] std::size_t tail_bound() const;

 private:
  /// What slices took on one device, what had been predicted of them, and what they waited for.
  struct Worked {
    double seconds = 0.0;                                    // of all that were timed
    double predicted_seconds = 0.0, compared_seconds = 0.0;  // of those that were predicted, too, and what they took
    std::uint64_t upload_bytes = 0;                          // that its slices waited for
    double upload_seconds = 0.0;
  };
  struct Kernel {
    std::string name, program;
    domain::AccessClass access = domain::AccessClass::discontiguous;
    std::uint64_t launches = 0, split_launches = 0;
    std::uint64_t first_split = 0;  // number of the launch, from 1; 0: none was split
    std::vector<std::uint64_t> groups;
    std::vector<Worked> worked;            // per device
    std::array<std::uint64_t, 5> merge{};  // by Rung
    std::array<std::uint64_t, domain::kNotSplitCount> not_split{};
    double seconds = 0.0, predicted_seconds = 0.0;
    ModelSource source = ModelSource::none;  // of the last prediction
    std::optional<double> error;             // of late predictions
    PreemptStats preempt;
  };
  struct Bytes {
    std::uint64_t to = 0, from = 0;
    double seconds_to = 0.0, seconds_from = 0.0;  // of those that were timed
  };
  struct Dropped {
    std::uint64_t replicas = 0, moved_out = 0;
  };
  struct Elsewhere {
    std::string kernel, reason;
    std::uint64_t launches = 0;
  };
  /// Of one device.
  struct Builds {
    std::uint64_t built = 0, failed = 0, late = 0, dropped = 0, unneeded = 0;
    double seconds = 0.0;
  };
  struct Profile {
    std::string file;
    std::uint64_t loaded = 0, written = 0;  // samples
    std::string load_problem, write_problem;
  };
  void append_memory(std::string& out) const;
  void append_elsewhere(std::string& out) const;
  void append_builds(std::string& out) const;
  void append_profile(std::string& out) const;
  void append_hosts(std::string& out) const;
  [[nodiscard]] std::string tail(std::optional<std::uint64_t> cached) const;
  Kernel& entry(const LaunchReport& report, std::size_t& index);

  std::vector<ObservedDevice> devices_;
  std::vector<ObservedHost> hosts_;
  std::vector<Kernel> kernels_;
  std::unordered_map<std::string, std::size_t> index_;  // name, NUL, program
  std::vector<Bytes> transfers_;
  domain::PartitionMode mode_ = domain::PartitionMode::automatic;
  std::vector<Dropped> dropped_;  // per device
  TimeHistogram partition_;
  std::uint64_t launches_ = 0;                  // of all kernels
  std::unordered_set<std::uint64_t> verified_;  // numbers of launches
  std::uint64_t verified_launches_ = 0, mismatches_ = 0;
  std::vector<std::string> first_mismatches_;  // JSON objects
  bool has_cpu_driver_ = false;
  std::uint64_t launches_elsewhere_ = 0;
  std::vector<Builds> builds_;                                         // per device
  std::vector<std::string> build_failures_;                            // JSON objects, the first ones
  std::unordered_map<std::string, std::vector<BuildState>> programs_;  // per device; the first ones
  Profile profile_;
  TrapStats traps_;
  CheckpointStats checkpoints_;
  std::vector<Elsewhere> elsewhere_;  // by another CPU driver, one per kernel and reason
};

}  // namespace skmd::icd
