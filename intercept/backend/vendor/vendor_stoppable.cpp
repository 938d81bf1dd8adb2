// SPDX-License-Identifier: Apache-2.0
// Launches of a vendor's device that can be stopped inside of work-groups.
#include <cstring>
#include <vector>

#include "compiler/client/trapping.h"
#include "intercept/backend/vendor/stoppable_run.h"
#include "intercept/backend/vendor/vendor_constants.h"
#include "intercept/backend/vendor/vendor_device.h"
#include "intercept/backend/vendor/vendor_visit.h"

namespace skmd::icd {

using namespace tuning;

std::shared_ptr<StoppableCode> VendorDevice::stoppable_code(const std::string& text, const std::string& options) {
  if (!stoppable_) return nullptr;
  return std::make_shared<StoppableCode>([this, text, options] { return build_stoppable(text, options); },
                                         stoppable_->later);
}

std::unique_ptr<StoppableKernels> VendorDevice::build_stoppable(const std::string& text, const std::string& options) {
  const std::string_view target = stoppable_->traps  ? compiler::kOpenClTraps
                                  : is_nvidia()      ? compiler::kOpenClWithClock
                                  : keeps_barriers() ? compiler::kOpenClWithoutClock
                                                     : compiler::kOpenClWithoutBarriers;
  auto made = stoppable_->compile(text, options, target);
  if (!made) {
    stoppable_->report(made.error().reason);
    return nullptr;
  }
  auto kernels = std::make_unique<StoppableKernels>();
  for (compiler::StoppableKernel& facts : made->kernels) {
    const std::string name = facts.name;
    kernels->emplace(name, StoppableKernelCode{nullptr, std::move(facts)});
  }
  if (!made->text.empty() && !build_text(made->text, options, *kernels)) return nullptr;
  return kernels;
}

bool VendorDevice::build_text(const std::string& text, const std::string& options, StoppableKernels& kernels) {
  const CompilerVisit visit;
  if (!visit) return false;
  std::string log;
  auto program = build_native(text, options, log);
  if (!program) stoppable_->report(program.error().reason + "\n" + log);
  if (!program) return false;
  for (auto at = kernels.begin(); at != kernels.end();) {
    StoppableKernelCode& code = at->second;
    auto kernel = code.facts.facts.points == 0 && !code.facts.goes_on
                      ? Result<std::shared_ptr<NativeKernel>>(nullptr)
                      : this->kernel(*program, compiler::name_in_text(at->first));
    if (kernel) code.kernel = std::move(*kernel);
    at = kernel ? std::next(at) : kernels.erase(at);
  }
  if (is_nvidia() && !stoppable_->traps) limit_registers(text, options, kernels);
  return true;
}

void VendorDevice::limit_registers(const std::string& text, const std::string& options, StoppableKernels& kernels) {
  std::vector<StoppableKernels::iterator> open;
  for (auto at = kernels.begin(); at != kernels.end(); ++at)
    if (at->second.kernel != nullptr) open.push_back(at);
  for (const std::uint32_t most : kRegisterLimits) {
    if (open.empty()) return;
    std::string log;
    const auto program = build_native(text, options + " -cl-nv-maxrregcount=" + std::to_string(most), log);
    if (!program) return;
    std::erase_if(open, [&](const StoppableKernels::iterator& at) {
      auto limited = kernel(*program, compiler::name_in_text(at->first));
      const std::uint64_t before = at->second.kernel->limits().private_bytes;
      if (!limited || (*limited)->limits().private_bytes > before + kMaxSpilledBytes) return false;
      at->second.kernel = std::move(*limited);
      return true;
    });
  }
}

std::optional<YieldInfo> VendorDevice::yields(NativeKernel& kernel, const YieldNeeds& needs, bool wait) {
  const auto& own = static_cast<const VendorKernel&>(kernel);
  if (own.owner->stoppable == nullptr || stoppable_->traps) return std::nullopt;
  const StoppableKernels* const kernels = StoppableCode::find(own.owner->stoppable, wait);
  if (kernels == nullptr) return std::nullopt;
  const auto found = kernels->find(own.name);
  if (found == kernels->end() || found->second.kernel == nullptr) return std::nullopt;
  cl_ulong local = 0;
  const auto bytes = info(CL_DEVICE_LOCAL_MEM_SIZE);
  if (bytes && bytes->size() == sizeof local) std::memcpy(&local, bytes->data(), sizeof local);
  if (!serves(found->second.kernel->limits(), needs, local)) return std::nullopt;
  const cpu::YieldFacts& facts = found->second.facts.facts;
  return YieldInfo{facts.schema, facts.points, facts.together != 0};
}

Ticket VendorDevice::submit_stoppable(Batch&& batch) {
  const auto& run = std::get<RunOp>(batch.work().back());
  const auto& kernel = static_cast<const VendorKernel&>(*run.kernel);
  const StoppableKernels* const kernels =
      kernel.owner->stoppable == nullptr ? nullptr : kernel.owner->stoppable->ready();
  if (kernels == nullptr || !kernels->contains(kernel.name)) {  // which yields() has told
    batch.done(BatchResult{
        CL_INVALID_KERNEL, "kernel " + kernel.name + " has no form to be stopped in", {}, Fault::command, 0});
    return 0;
  }
  StoppableRun::Native native{[this](std::uint64_t bytes) { return allocate(bytes, nullptr); },
                              [this](Batch&& part) { return submit_native(std::move(part)); },
                              [this](bool make) { return state_pieces(make); }, is_nvidia() && !description_.blocking};
  return std::make_shared<StoppableRun>(std::move(batch), kernels->at(kernel.name), std::move(native))->begin();
}

}  // namespace skmd::icd
