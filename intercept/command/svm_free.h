// SPDX-License-Identifier: Apache-2.0
// clEnqueueSVMFree: allocations end in the order of a queue.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <vector>

#include "intercept/object/command.h"
#include "intercept/object/context.h"

namespace skmd::icd {

using SvmFreeCallback = void(CL_CALLBACK*)(cl_command_queue queue, cl_uint count, void* pointers[], void* user_data);

struct SvmFreeNotice {
  SvmFreeCallback function = nullptr;  // null: the command frees
  cl_command_queue queue = nullptr;    // as the application named it
  void* user_data = nullptr;
};

/// What is no allocation of `context` when the command runs is passed over.
std::shared_ptr<Command> make_svm_free(Context& context, std::vector<void*> pointers, const SvmFreeNotice& notice);

}  // namespace skmd::icd
