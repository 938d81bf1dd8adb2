// SPDX-License-Identifier: Apache-2.0
// The interface to samples of former processes; the profile database implements it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partitioner/base/result.h"
#include "partitioner/model/stored_model.h"

namespace skmd::domain {

/// Thread: one at a time, not a thread of the application, since calls may block on the disk and on other processes;
/// tend() may be called by another thread at the same time. Throws only std::bad_alloc.
class ProfileStore {
 public:
  virtual ~ProfileStore() = default;
  /// Samples of the kernel on the device, or on one of the same platform and name; some hundred at most. An error if
  /// the store cannot be read.
  virtual Result<std::vector<StoredSample>> samples(const KernelKey& kernel, const DeviceKey& device) = 0;
  /// Samples of kRoundsForm of the kernel, of any form, likewise. A store may have none.
  virtual Result<std::vector<StoredSample>> rounds(const KernelKey& /*kernel*/, const DeviceKey& /*device*/) {
    return std::vector<StoredSample>{};
  }
  /// Bounds from the calibration of a device with this key; zeros if there is none or it cannot be read.
  virtual Bounds bounds(const DeviceKey& device) = 0;
  /// Closes files that earlier calls keep open.
  virtual void rest() = 0;

  enum class Haste : std::uint8_t {
    none,  // when the process has lived for a while
    some,  // sooner
    most,  // now: this process gains by it
  };
  /// How soon tend() should be called. Takes milliseconds.
  virtual Haste haste() = 0;
  struct Tended {
    bool more = false;   // asking again may tell more
    std::string notice;  // what the user should know; "": nothing
  };
  /// Imports the samples that other processes left beside the store.
  virtual Result<Tended> tend() = 0;
};

}  // namespace skmd::domain
