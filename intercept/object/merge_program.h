// SPDX-License-Identifier: Apache-2.0
// The merge kernels of one program, for devices that take PTX.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "intercept/backend/port/port.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

/// Loaded on each device when a kernel is first asked for there. Thread-safe.
class MergeProgram {
 public:
  /// `ptx`: CompileAnswer::merge_ptx.
  explicit MergeProgram(std::string ptx) : ptx_(std::move(ptx)) {}

  /// The merge kernel of the kernel `name` on `device`, whose index is `index`. Null if there is none, or the device
  /// does not take it: then the host merges.
  std::shared_ptr<NativeKernel> kernel(Device& device, std::uint32_t index, const std::string& name);

 private:
  std::shared_ptr<NativeProgram> loaded(Device& device, std::uint32_t index) SKMD_REQUIRES(mutex_);
  Mutex mutex_{LockRank::merge_program};
  std::string ptx_;
  std::map<std::uint32_t, std::shared_ptr<NativeProgram>> programs_ SKMD_GUARDED_BY(mutex_);  // null: it was refused
  std::map<std::pair<std::uint32_t, std::string>, std::shared_ptr<NativeKernel>> kernels_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::icd
