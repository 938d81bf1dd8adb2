// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CL/cl.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "intercept/machine/machine.h"
#include "intercept/object/handle.h"
#include "intercept/object/virtual_device.h"
#include "partitioner/base/mutex.h"

namespace skmd::icd {

class SvmRegions;

/// A context over the virtual device, or parts of it. Native contexts live in the adapters, one per physical device.
class Context : public Object {
 public:
  using ErrorCallback = void(CL_CALLBACK*)(const char*, const void*, size_t, void*);
  using Destructor = void(CL_CALLBACK*)(cl_context, void*);

  /// `devices`: of `machine`, none twice.
  Context(Machine& machine, std::vector<cl_context_properties> properties, ErrorCallback callback, void* user_data,
          std::vector<Ref<VirtualDevice>> devices = {});

  [[nodiscard]] Machine& machine() const { return machine_; }
  [[nodiscard]] const std::vector<Ref<VirtualDevice>>& devices() const { return devices_; }
  [[nodiscard]] bool has(const VirtualDevice& device) const;
  [[nodiscard]] const std::vector<cl_context_properties>& properties() const { return properties_; }
  /// What clSVMAlloc gave; the context lives for as long as there is any.
  [[nodiscard]] SvmRegions& svm() const { return *svm_; }
  /// Errors only; on the callback thread.
  void report(const std::string& text);
  /// Called, last registered first, when nothing of the context is left. See DestructorsHere for the thread.
  void add_destructor(Destructor function, void* user_data);

 protected:
  ~Context() override;  // tells the observer

 private:
  Machine& machine_;
  std::vector<cl_context_properties> properties_;
  ErrorCallback callback_;
  void* user_data_;
  const std::vector<Ref<VirtualDevice>> devices_;
  const std::unique_ptr<SvmRegions> svm_;
  Mutex mutex_{LockRank::context};
  std::vector<std::function<void()>> destructors_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace skmd::icd
