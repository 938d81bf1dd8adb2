// SPDX-License-Identifier: Apache-2.0
// Host memory that runs out inside the driver: the n-th allocation that its code makes on the application's thread.
#pragma once

#include <cstddef>

namespace skmd::test {

/// From now on allocations by code of `library` (a part of its file name) on this thread are counted; the n-th throws
/// std::bad_alloc, once. 0: none does.
void watch_allocations(const char* library, std::size_t n);
std::size_t watched_allocations();

}  // namespace skmd::test
