// SPDX-License-Identifier: Apache-2.0
// Counts what a thread allocates. Linking allocation_counter.cpp replaces operator new of the whole executable.
#pragma once

#include <cstddef>

namespace skmd::icd::test {

/// Calls of operator new on this thread so far.
std::size_t allocations();

}  // namespace skmd::icd::test
