// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/allocations.h"

#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace {

struct Watched {
  const char* name = nullptr;
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
};
Watched watched;
thread_local bool watching = false;
thread_local std::size_t counted = 0, failing = 0;

struct Step {
  std::string name;
  std::size_t before = 0;  // counted when it began
};
thread_local std::vector<Step> steps;
thread_local std::string failing_step;
thread_local std::size_t failing_of_step = 0;

int find(dl_phdr_info* info, std::size_t, void*) {
  if (info->dlpi_name == nullptr || std::strstr(info->dlpi_name, watched.name) == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    watched.begin = std::min(watched.begin, begin);
    watched.end = std::max(watched.end, begin + info->dlpi_phdr[i].p_memsz);
  }
  return 1;
}

/// For the report of a run that is not good: where in the driver it began.
[[noreturn]] void fail() {
  watching = false;
  std::array<void*, 16> frames{};
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
  throw std::bad_alloc();
}

void* allocate(std::size_t size, const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  if (watching && address >= watched.begin && address < watched.end && ++counted == failing) fail();
  if (void* memory = std::malloc(std::max<std::size_t>(size, 1))) return memory;
  throw std::bad_alloc();
}

}  // namespace

void skmd::test::watch_allocations(const char* library, std::size_t n, const std::string& step) {
  watched.name = library;
  dl_iterate_phdr(find, nullptr);
  counted = 0;
  failing = step.empty() ? n : 0;
  failing_of_step = step.empty() ? 0 : n;
  failing_step = step;
  steps.clear();
  watching = true;
}

std::size_t skmd::test::fail_each_allocation(const char* library, const std::function<void()>& body) {
  for (std::size_t n = 1;; ++n) {
    watch_allocations(library, n);
    try {
      body();
    } catch (const std::bad_alloc&) {  // nothing hid it
    }
    const bool past_the_last = watching;
    watching = false;
    if (past_the_last) return n - 1;
  }
}

void skmd::test::begin_step(const char* name) {
  steps.push_back({name, counted});
  if (failing_of_step != 0 && failing_step == name) failing = counted + failing_of_step;
}

std::map<std::string, std::size_t> skmd::test::watched_steps() {
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < steps.size(); ++i)
    counts[steps[i].name] += (i + 1 < steps.size() ? steps[i + 1].before : counted) - steps[i].before;
  return counts;
}

std::size_t skmd::test::watched_allocations() { return counted; }

void* operator new(std::size_t size) { return allocate(size, __builtin_return_address(0)); }
void* operator new[](std::size_t size) { return allocate(size, __builtin_return_address(0)); }
/// std::stable_sort allocates this way, and does without if it has to: never failed, but from the same heap.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
/// Not inlined: GCC would see memory of its own operator new given to free().
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
