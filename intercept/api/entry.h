// SPDX-License-Identifier: Apache-2.0
// The C conventions of entry points, written once: bodies return Status, Result<handle> or cl_int, never see
// errcode_ret and may throw; handles become objects, or the error code of their kind.
#pragma once

#include <CL/cl.h>

#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "intercept/object/context.h"
#include "intercept/object/destructors.h"
#include "intercept/object/event.h"
#include "intercept/object/handle.h"
#include "partitioner/base/lock_order.h"
#include "partitioner/base/result.h"

namespace skmd::icd {
class Kernel;
class Memory;
class Program;
class Queue;
class Sampler;
class VirtualDevice;
}  // namespace skmd::icd

namespace skmd::icd::api {

using domain::Error;
using domain::Result;
using domain::Status;

class Platform;

/// Which handle names which object, and what a bad one is answered with.
template <class T>
struct HandleOf;
template <class Handle_, Kind kKind_, cl_int kInvalid_>
struct HandleTraits {
  using Handle = Handle_;
  static constexpr Kind kKind = kKind_;
  static constexpr cl_int kInvalid = kInvalid_;
};
template <>
struct HandleOf<Platform> : HandleTraits<cl_platform_id, Kind::platform, CL_INVALID_PLATFORM> {};
template <>
struct HandleOf<VirtualDevice> : HandleTraits<cl_device_id, Kind::device, CL_INVALID_DEVICE> {};
template <>
struct HandleOf<Context> : HandleTraits<cl_context, Kind::context, CL_INVALID_CONTEXT> {};
template <>
struct HandleOf<Queue> : HandleTraits<cl_command_queue, Kind::queue, CL_INVALID_COMMAND_QUEUE> {};
template <>
struct HandleOf<Memory> : HandleTraits<cl_mem, Kind::memory, CL_INVALID_MEM_OBJECT> {};
template <>
struct HandleOf<Sampler> : HandleTraits<cl_sampler, Kind::sampler, CL_INVALID_SAMPLER> {};
template <>
struct HandleOf<Program> : HandleTraits<cl_program, Kind::program, CL_INVALID_PROGRAM> {};
template <>
struct HandleOf<Kernel> : HandleTraits<cl_kernel, Kind::kernel, CL_INVALID_KERNEL> {};
template <>
struct HandleOf<Event> : HandleTraits<cl_event, Kind::event, CL_INVALID_EVENT> {};

/// Writes "clFoo: reason" to the log, at level debug: applications probe with wrong calls. Defined in entry.cpp.
void note_error(const char* function, const Error& error) noexcept;
/// The same for an exception in flight; its code.
cl_int note_exception(const char* function) noexcept;
/// Where note_error writes; set once by the platform.
void set_error_log(Observer* observer);

/// From here on a child of fork() is refused: it has the devices' handles and locks, but none of the threads behind
/// them. Its releases do nothing, everything else fails, nothing hangs.
void refuse_forks();
/// In such a child.
bool inherited() noexcept;
inline constexpr cl_int kInherited = CL_OUT_OF_RESOURCES;

/// For entry points that return cl_int. `body` returns Status or cl_int.
template <class Body>
cl_int entry(const char* function, Body&& body) noexcept {
  if (inherited()) return kInherited;
  [[maybe_unused]] const lock_order::Balance none_is_left;
  try {
    if constexpr (std::is_same_v<std::invoke_result_t<Body>, cl_int>) {
      return body();
    } else {
      const Status status = body();
      if (status) return CL_SUCCESS;
      note_error(function, status.error());
      return status.error().code;
    }
  } catch (...) {
    return note_exception(function);
  }
}

/// For entry points that return a handle (or a mapped pointer). `body` returns Result<that type>.
template <class Body>
auto entry(const char* function, cl_int* errcode_ret, Body&& body) noexcept {
  using Handle = std::decay_t<decltype(*body())>;
  Handle handle{};
  cl_int code = CL_SUCCESS;
  if (inherited()) {
    if (errcode_ret != nullptr) *errcode_ret = kInherited;
    return handle;
  }
  [[maybe_unused]] const lock_order::Balance none_is_left;
  try {
    auto result = body();
    if (result) {
      handle = *result;
    } else {
      note_error(function, result.error());
      code = result.error().code;
    }
  } catch (...) {
    code = note_exception(function);
  }
  if (errcode_ret != nullptr) *errcode_ret = code;
  return handle;
}

/// The object behind a handle, or null.
template <class T>
T* find(typename HandleOf<T>::Handle handle) {
  return static_cast<T*>(look_up(handle, HandleOf<T>::kKind));
}

/// The object behind a handle; an error with the code of its kind if it is null, foreign, of another kind or released.
template <class T>
Result<Ref<T>> borrow(typename HandleOf<T>::Handle handle) {
  T* object = find<T>(handle);
  if (object == nullptr) return Error{HandleOf<T>::kInvalid, "the handle is null, not ours or was released"};
  return Ref<T>(object);
}

template <class T>
typename HandleOf<T>::Handle handle_of(const T& object) {
  return reinterpret_cast<typename HandleOf<T>::Handle>(object.slot());
}
template <class T>
typename HandleOf<T>::Handle handle_of(const Ref<T>& object) {
  return object ? handle_of(*object) : nullptr;
}

/// Gives a new object to the application.
template <class T>
Result<typename HandleOf<T>::Handle> give(const Ref<T>& object) {
  if (publish(*object) == nullptr) return Error{CL_OUT_OF_HOST_MEMORY, "no memory for another handle"};
  return handle_of(*object);
}

/// clRetain… and clRelease… of every counted kind. `at_last` is called when the application's count has reached 0.
template <class T>
cl_int retain_handle(const char* function, typename HandleOf<T>::Handle handle) noexcept {
  if (inherited()) return CL_SUCCESS;
  return entry(function, [&]() -> Status {
    T* object = find<T>(handle);
    if (object != nullptr && retain(*object->slot())) return {};
    return Error{HandleOf<T>::kInvalid, "the handle is null, not ours or was released"};
  });
}
template <class T>
cl_int release_handle(const char* function, typename HandleOf<T>::Handle handle, void (*at_last)()) noexcept {
  if (inherited()) return CL_SUCCESS;
  return entry(function, [&]() -> Status {
    T* object = find<T>(handle);
    if (object == nullptr || object->slot()->references.load(std::memory_order_relaxed) == 0)
      return Error{HandleOf<T>::kInvalid, "the handle is null, not ours or was released"};
    const DestructorsHere here;
    if (release(*object->slot()) == 0 && at_last != nullptr) at_last();
    return {};
  });
}
template <class T>
cl_int release_handle(const char* function, typename HandleOf<T>::Handle handle) noexcept {
  return release_handle<T>(function, handle, nullptr);
}

/// An event wait list: count and pointer agree, events are live and of `context`. `code` answers bad events.
Result<std::vector<Ref<Event>>> wait_list(cl_uint count, const cl_event* events, const Context& context,
                                          cl_int code = CL_INVALID_EVENT_WAIT_LIST);

/// Hands `event` to the application if it asked for one. Call before returning success.
Status give_event(cl_event* out, const Ref<Event>& event);

}  // namespace skmd::icd::api
