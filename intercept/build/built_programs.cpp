// SPDX-License-Identifier: Apache-2.0
#include "intercept/build/built_programs.h"

#include <algorithm>

#include "partitioner/base/mutex.h"

namespace skmd::icd {
namespace {

constexpr size_t kMax = 256;  // programs; the oldest is forgotten then

struct List {
  Mutex mutex{LockRank::built_programs};
  std::vector<BuiltProgram> programs SKMD_GUARDED_BY(mutex);
};

/// Never destroyed: programs are built from static destructors, too.
List& list() {
  static List& instance = *new List;
  return instance;
}

}  // namespace

void remember(const ProgramBuild& build) {
  if (build.type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE) return;
  BuiltProgram entry{build.answer.hash, build.opaque(), build.answer.reason, {}, build.native->record()};
  for (const auto& kernel : build.kernels) entry.kernels.push_back(kernel->traits());
  List& known = list();
  const MutexGuard lock(known.mutex);
  std::erase_if(known.programs, [&](const BuiltProgram& program) { return program.hash == entry.hash; });
  if (known.programs.size() == kMax) known.programs.erase(known.programs.begin());
  known.programs.push_back(std::move(entry));
}

std::vector<BuiltProgram> built_programs() {
  List& known = list();
  const MutexGuard lock(known.mutex);
  return known.programs;
}

}  // namespace skmd::icd
