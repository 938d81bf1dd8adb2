// SPDX-License-Identifier: Apache-2.0
// From devices to host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "intercept/memory/storage.h"

namespace skmd::icd {

/// Bytes of one root on one device, and the address of the root's byte 0 where they are to come.
struct Fetch {
  Storage* root = nullptr;
  std::uint32_t device = 0;
  std::byte* host = nullptr;
  domain::RangeSet ranges;
};

/// Blocks until all bytes have come; returns the first failure. Large fetches go through the device's page-locked
/// memory, by several threads. `what` names the purpose in the observer's reports. Ranges locked by the caller;
/// residency is left alone.
Status fetch(Machine& machine, const std::vector<Fetch>& fetches, const std::string& what);

}  // namespace skmd::icd
