// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/program.h"

#include <utility>

namespace skmd::icd {

Program::State Program::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::shared_ptr<const ProgramBuild> Program::executable() const {
  const std::lock_guard lock(mutex_);
  if (state_.status != CL_BUILD_SUCCESS || state_.build == nullptr) return nullptr;
  return state_.build->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ? state_.build : nullptr;
}

Result<std::shared_ptr<const ProgramBuild>> Program::begin(const std::string& options) {
  const std::lock_guard lock(mutex_);
  if (const auto kernels = kernels_.load(); kernels != 0)
    return domain::Error{CL_INVALID_OPERATION, std::to_string(kernels) + " kernels of the program exist"};
  if (state_.status == CL_BUILD_IN_PROGRESS)
    return domain::Error{CL_INVALID_OPERATION, "the program is being built by another call"};
  state_.status = CL_BUILD_IN_PROGRESS;
  state_.options = options;
  state_.log.clear();
  return origin_ == Origin::binary ? state_.build : std::exchange(state_.build, nullptr);
}

void Program::end(std::shared_ptr<const ProgramBuild> build, std::string log) {
  const std::lock_guard lock(mutex_);
  state_.status = build != nullptr ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
  if (build != nullptr || origin_ != Origin::binary) state_.build = std::move(build);
  state_.log = std::move(log);
}

void Program::load(std::shared_ptr<const ProgramBuild> build) {
  const std::lock_guard lock(mutex_);
  state_.build = std::move(build);
}

}  // namespace skmd::icd
