// SPDX-License-Identifier: Apache-2.0
// Page-locked host memory of one native context. Vendors copy pageable memory with one thread, at a fifth of the
// link's rate (docs/devices/nvidia.md); through memory of this kind several threads reach nearly all of it.
#pragma once

#include <cstddef>
#include <memory>

#include "intercept/backend/vendor/native_objects.h"

namespace skmd::icd {

/// Page-locks memory of the caller's for the driver's transfers from and to any part of it, while the result lives. Its
/// bytes do not change. Null where the driver refuses. 0.02 ms a megabyte where the pages are there already.
std::shared_ptr<MemoryHandle> lock_pages(const std::shared_ptr<NativeContext>& context, std::byte* host,
                                         std::size_t bytes);

class PinnedMemory {
 public:
  /// Null where the system gives no memory, or the driver locks none.
  static std::shared_ptr<PinnedMemory> create(const std::shared_ptr<NativeContext>& context, std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  [[nodiscard]] std::byte* host() const { return host_; }

 private:
  PinnedMemory(std::byte* host, std::size_t bytes) : host_(host), bytes_(bytes) {}

  std::byte* const host_;
  const std::size_t bytes_;
  std::shared_ptr<MemoryHandle> lock_;
};

}  // namespace skmd::icd
