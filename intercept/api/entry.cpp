// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/entry.h"

#include <atomic>
#include <cstdint>
#include <exception>

#include "intercept/backend/port/threads.h"

namespace skmd::icd::api {
namespace {
constinit std::atomic<Observer*> error_log{nullptr};
/// 0 before refuse_forks(), then one more than the generation of the process that called it.
constinit std::atomic<std::uint32_t> home{0};
}  // namespace

void refuse_forks() { home.store(fork_generation() + 1, std::memory_order_relaxed); }

bool inherited() noexcept {
  const std::uint32_t generation = home.load(std::memory_order_relaxed);
  return generation != 0 && generation != fork_generation() + 1;
}

void set_error_log(Observer* observer) { error_log.store(observer, std::memory_order_release); }

void note_error(const char* function, const Error& error) noexcept {
  Observer* observer = error_log.load(std::memory_order_acquire);
  if (observer == nullptr || !observer->logs(LogLevel::debug)) return;
  try {
    observer->log(LogLevel::debug, std::string(function) + ": " + std::to_string(error.code) + ": " + error.reason);
  } catch (...) {  // the log is a courtesy: the caller's error stays the one that counts
  }
}

cl_int note_exception(const char* function) noexcept {
  try {
    throw;
  } catch (const std::exception& exception) {
    try {
      note_error(function, Error{CL_OUT_OF_HOST_MEMORY, std::string("exception: ") + exception.what()});
    } catch (...) {
    }
  } catch (...) {
  }
  return CL_OUT_OF_HOST_MEMORY;
}

Result<std::vector<Ref<Event>>> wait_list(cl_uint count, const cl_event* events, const Context& context, cl_int code) {
  std::vector<Ref<Event>> list;
  if ((count == 0) != (events == nullptr))
    return Error{code,
                 "num_events " + std::to_string(count) + (events != nullptr ? " with a list" : " without a list")};
  list.reserve(count);
  for (cl_uint i = 0; i < count; ++i) {
    auto* event = find<Event>(events[i]);
    if (event == nullptr)
      return Error{code, "event " + std::to_string(i) + " of the list is null, not ours or was released"};
    if (&event->context() != &context)
      return Error{CL_INVALID_CONTEXT, "event " + std::to_string(i) + " of the list belongs to another context"};
    list.emplace_back(event);
  }
  return list;
}

Status give_event(cl_event* out, const Ref<Event>& event) {
  if (out == nullptr) return {};
  auto handle = give(event);
  if (!handle) return handle.error();
  *out = *handle;
  return {};
}

}  // namespace skmd::icd::api
