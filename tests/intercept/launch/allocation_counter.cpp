// SPDX-License-Identifier: Apache-2.0
#include "tests/intercept/launch/allocation_counter.h"

#include <cstdlib>
#include <new>

namespace {

thread_local std::size_t counted = 0, failing = 0, failures = 0;

}  // namespace

std::size_t skmd::icd::test::allocations() { return counted; }
void skmd::icd::test::fail_allocation(std::size_t n, std::size_t count) {
  failing = n;
  failures = count;
}

void* operator new(std::size_t size) {
  ++counted;
  if (failing != 0 && --failing == 0) {
    if (--failures != 0) failing = 1;
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
/// std::stable_sort allocates this way.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++counted;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
