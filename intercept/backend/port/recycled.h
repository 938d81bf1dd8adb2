// SPDX-License-Identifier: Apache-2.0
// Memory for objects that every launch makes and every launch's end destroys. Consecutive launches end in bunches, of
// which malloc's thread caches keep only a few.
#pragma once

#include <cstddef>

namespace skmd::icd {

/// As operator new and delete. Each thread keeps some blocks that it gave back for the next it takes.
void* take_block(std::size_t bytes);
void give_block(void* block, std::size_t bytes) noexcept;

/// Base of classes that are made by `new` from such blocks.
struct Recycled {
  // Its operator delete is the next line. NOLINTNEXTLINE(misc-new-delete-overloads)
  static void* operator new(std::size_t bytes) { return take_block(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { give_block(block, bytes); }
};

/// For std::allocate_shared.
template <class T>
struct Recycling {
  using value_type = T;
  Recycling() = default;
  template <class Other>
  Recycling(const Recycling<Other>&) {}  // NOLINT(google-explicit-constructor): allocators convert
  T* allocate(std::size_t count) { return static_cast<T*>(take_block(count * sizeof(T))); }
  void deallocate(T* block, std::size_t count) noexcept { give_block(block, count * sizeof(T)); }
  bool operator==(const Recycling&) const = default;
};

}  // namespace skmd::icd
