// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/merge_program.h"

#include <utility>

#include "compiler/client/merge_record.h"

namespace skmd::icd {

std::shared_ptr<NativeProgram> MergeProgram::loaded(Device& device, std::uint32_t index) {
  const auto known = programs_.find(index);
  if (known != programs_.end()) return known->second;
  const auto* text = reinterpret_cast<const std::byte*>(ptx_.data());
  auto made = device.load(std::vector<std::byte>(text, text + ptx_.size()), "");
  return programs_[index] = made ? std::move(*made) : nullptr;
}

std::shared_ptr<NativeKernel> MergeProgram::kernel(Device& device, std::uint32_t index, const std::string& name) {
  if (!device.description().takes_ptx || ptx_.empty()) return nullptr;
  const MutexGuard lock(mutex_);
  const auto known = kernels_.find({index, name});
  if (known != kernels_.end()) return known->second;
  const auto program = loaded(device, index);
  if (program == nullptr) return nullptr;
  auto made = device.kernel(program, compiler::merge_kernel(name));
  return kernels_[{index, name}] = made ? std::move(*made) : nullptr;
}

}  // namespace skmd::icd
