// SPDX-License-Identifier: Apache-2.0
// Launches of a vendor's device in checked code: work-items leave it where they would trap, or go on.
#include <algorithm>
#include <cstring>

#include "intercept/backend/vendor/trap_run.h"
#include "intercept/backend/vendor/vendor_constants.h"
#include "intercept/backend/vendor/vendor_device.h"

namespace skmd::icd {

using namespace tuning;

TrapForm VendorDevice::trap_form(NativeKernel& kernel, const YieldNeeds& needs) {
  const auto& own = static_cast<const VendorKernel&>(kernel);
  TrapForm form{.why_not = "no_form_here: the program has no checked code for " + description_.name};
  if (!stoppable_ || !stoppable_->traps || own.owner->stoppable == nullptr) return form;
  const StoppableKernels* const kernels = StoppableCode::find(own.owner->stoppable, true);
  if (kernels == nullptr || !kernels->contains(own.name)) return form;
  const StoppableKernelCode& code = kernels->at(own.name);
  form.only_buffers = code.facts.only_buffers;
  form.schema = code.facts.facts.schema;
  form.why_not = code.facts.why_not;
  if (!form.why_not.empty()) return form;
  if (code.kernel == nullptr) return form.exists = code.facts.facts.points == 0, form;
  cl_ulong local = 0;
  const auto bytes = info(CL_DEVICE_LOCAL_MEM_SIZE);
  if (bytes && bytes->size() == sizeof local) std::memcpy(&local, bytes->data(), sizeof local);
  form.goes_on = code.facts.goes_on;
  form.exists = serves(code.kernel->limits(), needs, local);
  if (!form.exists) form.why_not = "no_form_here: its checked code takes smaller work-groups";
  return form;
}

Ticket VendorDevice::submit_trapping(Batch&& batch) {
  const auto& run = std::get<RunOp>(batch.work().back());
  const auto& kernel = static_cast<const VendorKernel&>(*run.kernel);
  const StoppableKernels* const kernels =
      kernel.owner->stoppable == nullptr ? nullptr : kernel.owner->stoppable->ready();
  const auto found = kernels == nullptr ? StoppableKernels::const_iterator() : kernels->find(kernel.name);
  if (kernels == nullptr || found == kernels->end() || found->second.kernel == nullptr) {  // which trap_form() has told
    batch.done(BatchResult{CL_INVALID_KERNEL, "kernel " + kernel.name + " has no checked code", {}, Fault::command, 0});
    return 0;
  }
  cl_ulong memory = 0;
  const auto bytes = info(CL_DEVICE_GLOBAL_MEM_SIZE);
  if (bytes && bytes->size() == sizeof memory) std::memcpy(&memory, bytes->data(), sizeof memory);
  TrapRun::Native native{[this](std::uint64_t size) { return allocate(size, nullptr); },
                         [this](Batch&& part) { return submit_native(std::move(part)); }, trap_room_.get(),
                         std::clamp<std::uint64_t>(memory / kTrapShare, 1, stoppable_->trap_bytes),
                         &stoppable_->trap_handling};
  return std::make_shared<TrapRun>(std::move(batch), found->second, std::move(native))->begin();
}

}  // namespace skmd::icd
