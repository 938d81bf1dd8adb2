// SPDX-License-Identifier: Apache-2.0
#include "intercept/api/dispatch.h"

#include <cstring>
#include <tuple>

#include "intercept/api/calibrate.h"
#include "intercept/api/describe.h"
#include "intercept/api/enqueue_rest.h"
#include "intercept/api/entry.h"
#include "intercept/object/kernel.h"
#include "intercept/object/program.h"
#include "intercept/object/queue.h"

namespace skmd::icd::api {
namespace {

/// Which object a handle of that type names.
template <class Handle>
struct ObjectOf;
template <class T>
struct Named {
  using type = T;
};
template <>
struct ObjectOf<cl_context> : Named<Context> {};
template <>
struct ObjectOf<cl_command_queue> : Named<Queue> {};
template <>
struct ObjectOf<cl_mem> : Named<Memory> {};
template <>
struct ObjectOf<cl_program> : Named<Program> {};
template <>
struct ObjectOf<cl_kernel> : Named<Kernel> {};

/// A bad first handle counts more than the function's absence.
template <class First, class... Rest>
cl_int absence(cl_int error, First first, Rest...) {
  if constexpr (requires { typename ObjectOf<First>::type; }) {
    using Object = typename ObjectOf<First>::type;
    if (find<Object>(first) == nullptr) return HandleOf<Object>::kInvalid;
  }
  return error;
}

/// What an absent function does, by its type: its error goes where that type has room for one.
template <class Function, cl_int kError>
struct Absent;
template <cl_int kError, class... Arguments>
struct Absent<cl_int(Arguments...), kError> {
  static cl_int CL_API_CALL call(Arguments... arguments) { return absence(kError, arguments...); }
};
template <cl_int kError, class... Arguments>
struct Absent<void(Arguments...), kError> {
  static void CL_API_CALL call(Arguments...) {}
};
template <cl_int kError, class Value, class... Arguments>
struct Absent<Value*(Arguments...), kError> {
  static Value* CL_API_CALL call(Arguments... arguments) {
    auto last = std::get<sizeof...(Arguments) - 1>(std::tie(arguments...));
    if constexpr (std::is_same_v<decltype(last), cl_int*>) {
      if (last != nullptr) *last = absence(kError, arguments...);
    }
    return nullptr;
  }
};

template <class Type>
struct Parenthesised;
template <class Type>
struct Parenthesised<void(Type)> {
  using type = Type;
};

enum Slots {
#define PRESENT(name) k_##name,
#define ABSENT(name, error) k_##name,
#define ABSENT_UNTYPED(name, type) k_##name,
#include "intercept/api/dispatch.def"
#undef PRESENT
#undef ABSENT
#undef ABSENT_UNTYPED
  kSlotCount
};
static_assert(sizeof(cl_icd_dispatch) == kSlotCount * sizeof(void*),
              "dispatch.def names every slot of this cl_icd.h once");

template <class Function>
void* untyped(Function* function) {
  return reinterpret_cast<void*>(function);
}

cl_icd_dispatch make_table() {
  cl_icd_dispatch table{};
#define PRESENT(name) table.name = &api::name;
#define ABSENT(name, error) table.name = &Absent<std::remove_pointer_t<decltype(table.name)>, error>::call;
#define ABSENT_UNTYPED(name, function) \
  table.name = untyped(                \
      &Absent<std::remove_pointer_t<std::decay_t<Parenthesised<void function>::type>>, CL_INVALID_OPERATION>::call);
#include "intercept/api/dispatch.def"
#undef PRESENT
#undef ABSENT
#undef ABSENT_UNTYPED
  return table;
}

}  // namespace

const cl_icd_dispatch& dispatch_table() {
  static const cl_icd_dispatch table = make_table();
  return table;
}

void* function_address(const char* name) {
  if (name == nullptr) return nullptr;
  const cl_icd_dispatch& table = dispatch_table();
  struct Entry {
    const char* name;
    void* function;
  };
  const Entry entries[] = {
#define PRESENT(name) {#name, untyped(table.name)},
#define ABSENT(name, error)
#define ABSENT_UNTYPED(name, type)
#include "intercept/api/dispatch.def"
#undef PRESENT
#undef ABSENT
#undef ABSENT_UNTYPED
      {"clGetKernelSuggestedLocalWorkSizeKHR", untyped(&api::clGetKernelSuggestedLocalWorkSizeKHR)},
      {"clSkmdCalibrate", untyped(&clSkmdCalibrate)},
      {"clSkmdDescribe", untyped(&clSkmdDescribe)},
      {"clSkmdEnqueueRest", untyped(&clSkmdEnqueueRest)},
  };
  for (const Entry& entry : entries) {
    if (std::strcmp(entry.name, name) == 0) return entry.function;
  }
  return nullptr;
}

}  // namespace skmd::icd::api
