// SPDX-License-Identifier: Apache-2.0
// Every call that enqueues something, with good arguments but for what a test changes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/intercept/api/refusal/cases.h"

namespace skmd::test {

/// What every enqueue call has.
struct Tail {
  cl_command_queue queue;
  cl_uint count = 0;
  const cl_event* list = nullptr;
  cl_event* event = nullptr;
  cl_bool blocking = CL_TRUE;  // where the call has it
};

struct Form {
  std::string function;
  Machine machine;
  bool can_block;
  std::function<cl_int(World&, const Tail&)> call;
};
const std::vector<Form>& every_form();

/// Calls that take one memory object or more: the one of interest is given.
struct MemoryForm {
  std::string function;
  std::string argument;
  Machine machine;
  bool wants_image;  // a buffer is wrong, else an image is; see either
  bool either;
  std::function<cl_int(World&, cl_mem)> call;
};
const std::vector<MemoryForm>& every_memory_form();

}  // namespace skmd::test
