// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory of one context: which addresses belong to which allocation. An allocation is a Memory without a
// handle, whose root's shadow is what the application was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "intercept/object/memory.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Thread-safe. A reference that is given out may be the last: drop it without any lock.
class SvmRegions {
 public:
  struct SvmAddress {
    Ref<Memory> memory;        // null: the address belongs to no allocation
    std::uint64_t offset = 0;  // in it, bytes
  };

  /// `memory` is shared virtual memory (Storage::create_shared).
  void add(const Ref<Memory>& memory);
  /// The allocation that has a byte at `address`, or ends there.
  [[nodiscard]] SvmAddress find(const void* address) const;
  /// The allocation that begins at `address` is none any more; null if there is none.
  [[nodiscard]] Ref<Memory> take(const void* address);

 private:
  mutable Mutex mutex_{LockRank::svm_regions};
  std::map<const std::byte*, Ref<Memory>, std::less<>> regions_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::icd
