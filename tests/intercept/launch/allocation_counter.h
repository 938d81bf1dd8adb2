// SPDX-License-Identifier: Apache-2.0
// Counts what a thread allocates, and lets it fail. Linking allocation_counter.cpp replaces operator new of the whole
// executable.
#pragma once

#include <cstddef>

namespace skmd::icd::test {

/// Calls of operator new on this thread so far.
std::size_t allocations();
/// The n-th from now on throws std::bad_alloc, and those after it, `count` in all. 0: none does.
void fail_allocation(std::size_t n, std::size_t count = 1);

}  // namespace skmd::icd::test
