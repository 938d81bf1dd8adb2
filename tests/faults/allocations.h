// SPDX-License-Identifier: Apache-2.0
// Host memory that runs out inside the driver: the n-th allocation that its code makes on the application's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

namespace skmd::test {

/// From now on allocations by code of `library` (a part of its file name) on this thread are counted; the n-th, or the
/// n-th of the step of that name, throws std::bad_alloc, once. 0: none does. "" stands for the executable itself.
void watch_allocations(const char* library, std::size_t n, const std::string& step = {});
std::size_t watched_allocations();

/// Calls `body` again and again, each time with its next allocation failing, until none is left; how many there were.
std::size_t fail_each_allocation(const char* library, const std::function<void()>& body);

/// The application's next step begins.
void begin_step(const char* name);
/// By step, what was counted in it.
std::map<std::string, std::size_t> watched_steps();

}  // namespace skmd::test
