// SPDX-License-Identifier: Apache-2.0
// Page-locked host memory of one native context. Vendors copy pageable memory with one thread, at a fifth of the
// link's rate (docs/devices/nvidia.md); through memory of this kind several threads reach nearly all of it.
#pragma once

#include <cstddef>
#include <memory>

#include "intercept/backend/vendor/native_objects.h"

namespace skmd::icd {

class PinnedMemory {
 public:
  /// Null where the driver gives none. Costs 0.3 ms a megabyte.
  static std::shared_ptr<PinnedMemory> create(const std::shared_ptr<NativeContext>& context, std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;

  [[nodiscard]] std::byte* host() const { return host_; }

 private:
  PinnedMemory(std::shared_ptr<MemoryHandle> memory, cl_command_queue queue, std::byte* host)
      : memory_(std::move(memory)), queue_(queue), host_(host) {}

  const std::shared_ptr<MemoryHandle> memory_;
  const cl_command_queue queue_;  // of its own: mapping waits for what is on the queue
  std::byte* const host_;
};

}  // namespace skmd::icd
