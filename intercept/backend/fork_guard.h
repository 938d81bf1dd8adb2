// SPDX-License-Identifier: Apache-2.0
// Applications fork. The child has our memory, but none of our threads, and locks as they were at that moment.
#pragma once

#include <cstdint>

namespace skmd::icd {

/// Counts the forks between the first call in the process's ancestry and here. An object that keeps the number of its
/// creation can tell that its threads are gone. Costs one load.
std::uint32_t fork_generation();

}  // namespace skmd::icd
