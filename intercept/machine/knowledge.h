// SPDX-License-Identifier: Apache-2.0
// What former processes measured of kernels, on its way from the store to the model: read and fitted by a thread of its
// own while programs are built, so that a kernel's first launch is decided like its later ones.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "intercept/machine/machine_constants.h"
#include "partitioner/model/known_times.h"
#include "partitioner/model/profile_store.h"
#include "partitioner/model/round_times.h"

namespace skmd::icd {

/// Threads are started when first needed. After a fork the child has none of them, and knows what its parent had read:
/// the store's connection and locks are the parent's.
class Knowledge {
 public:
  struct Delays {
    /// How long a launch waits for what is being read of its kernel, once for each kernel. Kernels whose launches are
    /// shorter lose as much once in a process, and nothing where nothing is stored.
    std::chrono::milliseconds for_first_launch = tuning::kFirstLaunchWaits;
    /// How long the process lives before it tends the store, and before it does where the store asks for it soon.
    std::chrono::milliseconds before_tending = tuning::kBeforeTending;
    std::chrono::milliseconds before_soon = tuning::kBeforeTendingSoon;
  };
  /// Samples that the model has got so far to decide by, and what the user should know ("": nothing). Any thread of
  /// ours.
  using Told = std::function<void(std::uint64_t samples, const std::string& problem)>;
  /// A kernel on one device of the machine.
  struct KernelOnDevice {
    domain::KernelKey kernel;
    domain::DeviceKey device;
    bool decides = true;  // as of StoredModel
  };
  using Place = std::optional<KernelOnDevice>;  // none: nothing is to be known of the kernel on that device

  /// All must outlive the threads, and so the process; in tests, this. `first`, if given, is called once, on a thread
  /// of ours, when the first kernel is expected.
  Knowledge(domain::ProfileStore& store, domain::KnownTimes& model, Told told)
      : Knowledge(store, model, std::move(told), Delays()) {}
  Knowledge(domain::ProfileStore& store, domain::KnownTimes& model, Told told, Delays delays,
            std::function<void()> first = {});
  ~Knowledge();  // only in tests: drops what was not read, and waits for the threads
  Knowledge(const Knowledge&) = delete;
  Knowledge& operator=(const Knowledge&) = delete;

  /// Begins to read what is stored of a kernel on the devices of `places`, in the order of the machine's devices; reads
  /// nothing where `places` is empty, and nothing twice. Never blocks. A later wait_for() of a kernel that was never
  /// passed here does not block either.
  void expect(std::uint64_t kernel, std::vector<Place> places);
  /// Blocks until what is stored of the kernel is in the model, for Delays::for_first_launch at most. Returns at once
  /// when that was too short several times in this process: the store is slow. No lock may be held.
  void wait_for(std::uint64_t kernel);
  /// What rounds of former processes took with launches of `range` whole on one device, of devices of one make the
  /// first; a bit each. Nullopt while that is being read.
  [[nodiscard]] std::optional<std::vector<domain::RoundTimes::Former>> rounds_of(std::uint64_t kernel,
                                                                                 const domain::NdRange& range) const;
  /// Whether something is stored of the kernel on two devices or more.
  [[nodiscard]] bool knows_shares_of(std::uint64_t kernel) const { return model_.stored(kernel) > 1; }

 private:
  struct Threads;
  /// Null in a child of the process that made them.
  [[nodiscard]] Threads* threads(bool make);
  domain::ProfileStore& store_;
  domain::KnownTimes& model_;
  const Told told_;
  const Delays delays_;
  const std::function<void()> first_;
  std::atomic<Threads*> threads_{nullptr};
};

}  // namespace skmd::icd
