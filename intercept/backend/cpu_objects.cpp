// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu_objects.h"

#include <cstdlib>
#include <new>

namespace skmd::icd {
namespace {

// A page: the system hands out whole ones, and another driver over the same bytes wants its own alignment.
constexpr std::uint64_t kAlignment = 4096;

}  // namespace

std::shared_ptr<CpuMemory> CpuMemory::make(std::uint64_t bytes) {
  if (bytes > UINT64_MAX - kAlignment) return nullptr;
  const std::uint64_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  auto* const taken = static_cast<std::byte*>(std::aligned_alloc(kAlignment, whole));
  if (taken == nullptr) return nullptr;
  try {
    auto memory = std::make_shared<CpuMemory>(taken, bytes);
    memory->owned_ = true;
    return memory;
  } catch (...) {
    std::free(taken);
    throw;
  }
}

CpuMemory::~CpuMemory() {
  other_.reset();
  if (owned_) std::free(bytes);
}

Result<std::shared_ptr<NativeMemory>> CpuMemory::on(Device& other) {
  const std::lock_guard lock(mutex_);
  if (other_ == nullptr) {
    auto made = other.allocate(size, bytes);
    if (!made) return made.error();
    other_ = std::move(*made);
  }
  return other_;
}

}  // namespace skmd::icd
