// SPDX-License-Identifier: Apache-2.0
// From a compiler's answer, or from units that only vendors can join, to kernels on every device.
#pragma once

#include <string>
#include <vector>

#include "intercept/build/vendor_build.h"
#include "intercept/object/program.h"

namespace skmd::icd {

/// A build that came to an end: `build` null means failure, and then `log` is not empty.
struct BuildOutcome {
  std::shared_ptr<ProgramBuild> build;
  std::string log;
  cl_int code = CL_SUCCESS;
  std::string reason;
};

/// Builds an analysed answer where its mode needs it (vendor_build.h). Good if a device took it; those that have not
/// are named in the log.
BuildOutcome make_executable(Machine& machine, compiler::CompileAnswer answer, const std::vector<VendorBlob>* blobs);

/// Builds what our front end could not take: `input` as it is. Good if a device took it; kernels are described by the
/// anchor's vendor, or by the first device's that took it where the anchor did not. Others build it when a launch needs
/// them.
BuildOutcome make_opaque(Machine& machine, const VendorInput& input, const std::string& reason, bool kernel_arg_info);

/// Ends the program's build with `outcome` (Program::end()): from then on all threads see it.
void publish_outcome(Program& program, BuildOutcome outcome);

}  // namespace skmd::icd
