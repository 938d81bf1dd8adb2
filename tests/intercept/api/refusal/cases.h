// SPDX-License-Identifier: Apache-2.0
// Wrong calls as a table: function, what is wrong, expected code.
#pragma once

#include <CL/cl.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/intercept/api/refusal/world.h"

namespace skmd::test {

/// What the virtual device has to be made of for a case to make sense.
enum class Machine : unsigned { any, with_images, without_images };

struct Case {
  std::string function;
  cl_int code = CL_SUCCESS;
  std::string wrong;
  std::function<cl_int(World&)> call;
  Machine machine = Machine::any;
};
using Cases = std::vector<Case>;

/// All of them.
const Cases& every_case();

void add_platform_cases(Cases& cases);
void add_object_cases(Cases& cases);
void add_memory_cases(Cases& cases);
void add_image_cases(Cases& cases);
void add_enqueue_cases(Cases& cases);
void add_transfer_cases(Cases& cases);
void add_image_command_cases(Cases& cases);
void add_program_cases(Cases& cases);
void add_kernel_cases(Cases& cases);

/// One case for each way in which a handle of that type can be bad.
template <class Handle>
void add_bad_handles(Cases& cases, const char* function, cl_int code, const char* argument,
                     std::function<cl_int(World&, Handle)> call, Machine machine = Machine::any) {
  for (const Bad bad : kEveryBad)
    cases.push_back({function, code, std::string(argument) + " is " + name_of(bad),
                     [call, bad](World& w) { return call(w, w.bad<Handle>(bad)); }, machine});
}

/// clGet…Info of a good object: an unknown name, and a buffer that is too small for the answer to `name`.
template <class Call>
void add_bad_queries(Cases& cases, const char* function, cl_uint name, Call call, Machine machine = Machine::any) {
  cases.push_back({function, CL_INVALID_VALUE, "the name is unknown",
                   [call](World& w) { return call(w, 0x7777, World::kValueBytes, w.value(), w.size_ret()); }, machine});
  cases.push_back({function, CL_INVALID_VALUE, "the buffer is too small",
                   [call, name](World& w) { return call(w, name, 1, w.value(), w.size_ret()); }, machine});
}

}  // namespace skmd::test
