// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/program.h"

#include <algorithm>
#include <utility>

namespace skmd::icd {

Program::State Program::state() const {
  const MutexGuard lock(mutex_);
  return state_;
}

bool Program::holds_for(const VirtualDevice& device) const {
  const auto is_it = [&](const Ref<VirtualDevice>& one) { return one.get() == &device; };
  const auto& built = state_.devices;
  return built.empty() || std::any_of(built.begin(), built.end(), is_it);
}

Program::State Program::state_for(const VirtualDevice& device) const {
  const MutexGuard lock(mutex_);
  return holds_for(device) ? state_ : State{};
}

bool Program::is_built_for(const VirtualDevice& device) const {
  const MutexGuard lock(mutex_);
  return state_.build != nullptr && holds_for(device);
}

void Program::aim(std::vector<Ref<VirtualDevice>> devices) {
  const MutexGuard lock(mutex_);
  aimed_ = std::move(devices);
}

std::shared_ptr<const ProgramBuild> Program::executable() const {
  const MutexGuard lock(mutex_);
  if (state_.status != CL_BUILD_SUCCESS || state_.build == nullptr) return nullptr;
  return state_.build->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ? state_.build : nullptr;
}

Result<std::shared_ptr<const ProgramBuild>> Program::begin(const std::string& options) {
  const MutexGuard lock(mutex_);
  std::vector<Ref<VirtualDevice>> devices = std::exchange(aimed_, {});
  if (const auto kernels = kernels_.load(); kernels != 0)
    return domain::Error{CL_INVALID_OPERATION, std::to_string(kernels) + " kernels of the program exist"};
  if (state_.status == CL_BUILD_IN_PROGRESS)
    return domain::Error{CL_INVALID_OPERATION, "the program is being built by another call"};
  const bool same = state_.status == CL_BUILD_SUCCESS && state_.options == options && origin_ == Origin::source;
  if (same && state_.devices.empty()) devices.clear();
  if (same && !devices.empty())
    for (const Ref<VirtualDevice>& built : state_.devices)
      if (std::find(devices.begin(), devices.end(), built) == devices.end()) devices.push_back(built);
  state_.devices = std::move(devices);
  state_.status = CL_BUILD_IN_PROGRESS;
  state_.options = options;
  state_.log.clear();
  return origin_ == Origin::binary ? state_.build : std::exchange(state_.build, nullptr);
}

void Program::end(std::shared_ptr<const ProgramBuild> build, std::string log) {
  const MutexGuard lock(mutex_);
  state_.status = build != nullptr ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
  if (build != nullptr || origin_ != Origin::binary) state_.build = std::move(build);
  state_.log = std::move(log);
}

void Program::load(std::shared_ptr<const ProgramBuild> build) {
  const MutexGuard lock(mutex_);
  state_.build = std::move(build);
}

}  // namespace skmd::icd
