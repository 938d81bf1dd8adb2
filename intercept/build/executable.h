// SPDX-License-Identifier: Apache-2.0
// From a compiler's answer, or from units that only vendors can join, to kernels on every device.
#pragma once

#include <string>
#include <vector>

#include "intercept/build/vendor_build.h"
#include "intercept/object/program.h"

namespace skmd::icd {

/// A build that came to an end: `build` null means failure, and then `log` is not empty.
struct Outcome {
  std::shared_ptr<ProgramBuild> build;
  std::string log;
  cl_int code = CL_SUCCESS;
  std::string reason;
};

/// Builds an analysed answer everywhere. Good if the anchor took it; devices that did not are named in the log.
Outcome make_executable(Machine& machine, compiler::CompileAnswer answer, const std::vector<VendorBlob>* blobs);

/// Builds what our front end could not take: `input` as it is, kernels as the anchor's vendor describes them.
Outcome make_opaque(Machine& machine, const VendorInput& input, const std::string& reason, bool kernel_arg_info);

/// Writes the finished build into the program, for everybody to see.
void publish_outcome(Program& program, Outcome outcome);

}  // namespace skmd::icd
