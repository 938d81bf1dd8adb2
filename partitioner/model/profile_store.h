// SPDX-License-Identifier: Apache-2.0
// Where samples of former processes are. An interface of the domain; the profile database implements it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "partitioner/model/stored_model.h"
#include "partitioner/result.h"

namespace skmd::domain {

/// One thread at a time may ask, and it may wait for the disk and for other processes: never one of the application.
/// tend() may be called by another thread at the same time. Nothing throws but std::bad_alloc.
class ProfileStore {
 public:
  virtual ~ProfileStore() = default;
  /// Samples of the kernel on the device, or on one of the same platform and name; some hundred at most.
  virtual Result<std::vector<StoredSample>> samples(const KernelKey& kernel, const DeviceKey& device) = 0;
  /// What calibration says of the device; no bounds if it says nothing, or cannot be read.
  virtual Bounds bounds(const DeviceKey& device) = 0;
  /// Gives back what asking keeps open.
  virtual void rest() = 0;

  enum class Haste : std::uint8_t {
    none,  // when the process has lived for a while
    some,  // sooner
    most,  // now: this process gains by it
  };
  /// When tend() is to come. Milliseconds.
  virtual Haste haste() = 0;
  struct Tended {
    bool more = false;   // asking again may tell more
    std::string notice;  // what the user should know; "": nothing
  };
  /// Takes in what has come to lie beside the store.
  virtual Result<Tended> tend() = 0;
};

}  // namespace skmd::domain
