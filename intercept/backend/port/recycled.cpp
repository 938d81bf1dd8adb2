// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/recycled.h"

#include <array>
#include <cstdint>
#include <new>

#include "intercept/backend/port/port_constants.h"

namespace skmd::icd {

namespace {

using namespace tuning;

constexpr std::size_t kUnit = 64;  // bytes between sizes: a cache line

struct Block {
  Block* next;
};

struct Shelf {
  Block* first = nullptr;
  std::uint32_t count = 0;
};

/// Needs no constructor, and stays when the thread's objects have been destroyed: blocks may be given back after that.
struct Shelves {
  std::array<Shelf, kKeptSizes> of;
  bool open = false;
  bool closed = false;
};
constinit thread_local Shelves shelves;

struct Closing {
  ~Closing() {
    shelves.open = false;
    shelves.closed = true;
    for (Shelf& shelf : shelves.of)
      while (shelf.first != nullptr) {
        Block* const block = shelf.first;
        shelf.first = block->next;
        ::operator delete(block);
      }
  }
};

/// False if the thread is ending.
bool open_up(Shelves& own) noexcept {
  if (own.closed) return false;
  thread_local Closing closing;
  (void)&closing;
  own.open = true;
  return true;
}

std::size_t size_of(std::size_t bytes) { return (bytes + kUnit - 1) / kUnit; }

// A block that is used after it was given back has to be seen.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif

}  // namespace

void* take_block(std::size_t bytes) {
  const std::size_t size = size_of(bytes);
  if (size == 0 || size > kKeptSizes) return ::operator new(bytes);
  Shelf& shelf = shelves.of[size - 1];
  Block* const block = shelf.first;
  if (block == nullptr) {
    const std::size_t whole = size * kUnit;
    return ::operator new(whole);
  }
  shelf.first = block->next;
  --shelf.count;
  return block;
}

void give_block(void* block, std::size_t bytes) noexcept {
  const std::size_t size = size_of(bytes);
  if (!kKeeps || block == nullptr || size == 0 || size > kKeptSizes) return ::operator delete(block);
  Shelves& own = shelves;  // looked up once
  Shelf& shelf = own.of[size - 1];
  if (shelf.count >= kMaxKeptBlocks || (!own.open && !open_up(own))) return ::operator delete(block);
  shelf.first = new (block) Block{shelf.first};
  ++shelf.count;
}

}  // namespace skmd::icd
