// SPDX-License-Identifier: Apache-2.0
// Launches of a vendor's device that can be stopped inside of work-groups.
#include "intercept/backend/vendor/stoppable_run.h"
#include "intercept/backend/vendor/vendor_device.h"
#include "intercept/backend/vendor/vendor_visit.h"

namespace skmd::icd {

std::shared_ptr<StoppableCode> VendorDevice::stoppable_code(const std::string& text, const std::string& options) {
  if (!stoppable_) return nullptr;
  return std::make_shared<StoppableCode>([this, text, options] { return build_stoppable(text, options); },
                                         stoppable_->later);
}

std::optional<StoppableCode::Made> VendorDevice::build_stoppable(const std::string& text, const std::string& options) {
  const bool clock = is_nvidia();
  auto made = stoppable_->compile(text, options,
                                  clock              ? compiler::kOpenClWithClock
                                  : keeps_barriers() ? compiler::kOpenClWithoutClock
                                                     : compiler::kOpenClWithoutBarriers);
  if (!made) {
    stoppable_->report(made.error().reason);
    return std::nullopt;
  }
  const CompilerVisit visit;
  if (!visit) return std::nullopt;
  std::string log;
  auto program = build_native(made->text, options, log);
  if (!program) {
    stoppable_->report(program.error().reason + "\n" + log);
    return std::nullopt;
  }
  StoppableCode::Made code;
  for (compiler::StoppableKernel& facts : made->kernels) {
    auto kernel = this->kernel(*program, facts.name);
    if (!kernel) continue;
    const std::string name = facts.name;
    code.kernels.emplace(name, StoppableKernelCode{std::move(*kernel), std::move(facts), clock});
  }
  return code;
}

std::optional<YieldInfo> VendorDevice::yields(NativeKernel& kernel, std::uint64_t items, bool wait) {
  const auto& own = static_cast<const VendorKernel&>(kernel);
  const std::shared_ptr<StoppableCode>& code = own.owner->stoppable;
  if (code == nullptr) return std::nullopt;
  const StoppableKernelCode* const found = StoppableCode::find(code, own.name, wait);
  if (found == nullptr || found->kernel->limits().most_items < items) return std::nullopt;
  return YieldInfo{found->facts.facts.schema, found->facts.facts.points};
}

Ticket VendorDevice::submit_stoppable(Batch&& batch) {
  const auto& run = std::get<RunOp>(batch.work().back());
  const auto& kernel = static_cast<const VendorKernel&>(*run.kernel);
  const StoppableKernelCode* const code =
      kernel.owner->stoppable == nullptr ? nullptr : kernel.owner->stoppable->ready(kernel.name);
  if (code == nullptr) {  // which yields() has told
    batch.done(BatchResult{
        CL_INVALID_KERNEL, "kernel " + kernel.name + " has no form to be stopped in", {}, Fault::command, 0});
    return 0;
  }
  StoppableRun::Native native{[this](std::uint64_t bytes) { return allocate(bytes, nullptr); },
                              [this](Batch&& part) { return submit_native(std::move(part)); }};
  return std::make_shared<StoppableRun>(std::move(batch), *code, std::move(native))->begin();
}

}  // namespace skmd::icd
