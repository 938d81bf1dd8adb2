// SPDX-License-Identifier: Apache-2.0
// What clBuildProgram and its relatives do: our compiler, every vendor's build, kernel traits.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

#include "intercept/object/program.h"

namespace skmd::icd {

/// pfn_notify of the build calls. With a function the call returns at once and the function runs on the callback
/// thread, when the final status is visible.
struct Notify {
  void(CL_CALLBACK* function)(cl_program, void*) = nullptr;
  void* user_data = nullptr;
};

/// clBuildProgram. Without `notify` the status is the build's outcome.
Status build_program(const Ref<Program>& program, const std::string& options, const Notify& notify);

/// clCompileProgram.
Status compile_program(const Ref<Program>& program, const std::string& options, std::vector<compiler::Header> headers,
                       const Notify& notify);

/// clLinkProgram. An error means that no program is made; a program that failed to link has status ERROR.
Result<Ref<Program>> link_program(const Ref<Context>& context, const std::string& options,
                                  const std::vector<Ref<Program>>& inputs, const Notify& notify);

}  // namespace skmd::icd
