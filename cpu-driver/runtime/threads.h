// SPDX-License-Identifier: Apache-2.0
// Threads in somebody else's process.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

namespace skmd::cpu {

/// Counts the forks between the first call in the process's ancestry and here. The child of a fork has our memory, but
/// none of our threads, and locks as they were at that moment: an object that keeps the number of its creation can
/// tell. Costs one load.
std::uint32_t fork_generation();

/// A thread on which none of the application's signals land. Throws what std::thread does.
std::thread quiet_thread(std::function<void()> body);

}  // namespace skmd::cpu
