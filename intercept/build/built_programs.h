// SPDX-License-Identifier: Apache-2.0
// What this process built, for people (clSkmdDescribe): the newest builds, bounded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "intercept/object/program.h"

namespace skmd::icd {

struct BuiltProgram {
  std::string hash;
  bool opaque = false;
  std::string reason;                         // why it is opaque
  std::vector<domain::KernelTraits> kernels;  // without nodes and accesses of opaque ones
  std::shared_ptr<const BuildRecord> builds;
};

void remember(const ProgramBuild& build);
std::vector<BuiltProgram> built_programs();

}  // namespace skmd::icd
