// SPDX-License-Identifier: Apache-2.0
// What can be done to the launches of a running process from outside: in words, with answers as JSON.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "intercept/control/request.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/range_lock.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd::control {

/// One per process. Precondition of all: machine.running is set. Thread-safe: what changes something is done one after
/// another, and `status` waits for nothing.
class Controller {
 public:
  /// `program`: the name of the process's executable, for people.
  Controller(Machine& machine, std::string program) : machine_(machine), program_(std::move(program)) {}

  /// Carries out what the line asks for (request.h); the answer is one line of JSON
  /// (profiler/settings/control_place.h). Blocks until it is done, which may be as long as launches run that cannot be
  /// stopped. No lock may be held. std::bad_alloc.
  std::string answer(std::string_view line);

 private:
  std::string carry_out(const Request& request);
  [[nodiscard]] std::string status() const;
  std::string stop(std::uint32_t device) SKMD_REQUIRES(mutex_);
  std::string start(std::uint32_t device) SKMD_REQUIRES(mutex_);
  std::string move(const std::string& kernel, std::uint32_t device) SKMD_REQUIRES(mutex_);
  /// Beside the others: it waits for one launch, and changes nothing.
  std::string checkpoint(const std::string& file);
  std::string suspend() SKMD_REQUIRES(mutex_);
  std::string resume() SKMD_REQUIRES(mutex_);
  [[nodiscard]] std::vector<DeviceDescription> descriptions() const;
  [[nodiscard]] std::string name_of(std::uint32_t device) const;
  /// All that is under way on the device has ended.
  void drain(std::uint32_t device) const;

  Machine& machine_;
  const std::string program_;
  Mutex mutex_{LockRank::controller};
  std::optional<RangeLock> gate_ SKMD_GUARDED_BY(mutex_);  // while suspended: launches wait for it
};

}  // namespace skmd::icd::control
