// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/svm.h"

#include <utility>

namespace skmd::icd {

void SvmRegions::add(const Ref<Memory>& memory) {
  const MutexGuard lock(mutex_);
  regions_.emplace(static_cast<const std::byte*>(memory->host_ptr()), memory);
}

SvmRegions::SvmAddress SvmRegions::find(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  const MutexGuard lock(mutex_);
  auto after = regions_.upper_bound(at);
  if (after == regions_.begin()) return {};
  const auto& [begin, memory] = *--after;
  const auto offset = static_cast<std::uint64_t>(at - begin);
  return offset <= memory->size() ? SvmAddress{memory, offset} : SvmAddress{};
}

Ref<Memory> SvmRegions::take(const void* address) {
  const MutexGuard lock(mutex_);
  const auto found = regions_.find(static_cast<const std::byte*>(address));
  if (found == regions_.end()) return nullptr;
  Ref<Memory> memory = std::move(found->second);
  regions_.erase(found);
  return memory;
}

}  // namespace skmd::icd
