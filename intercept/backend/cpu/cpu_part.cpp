// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/cpu/cpu_part.h"

#include <utility>

namespace skmd::icd {

CpuPart::CpuPart(Device& whole, cpu::ThreadPlan plan, std::shared_ptr<Device> other, OtherDriverListener report,
                 TrapHandling traps)
    : whole_(whole), pool_(std::move(plan)), ops_(pool_, std::move(other), std::move(report), std::move(traps)) {
  line_ = std::make_shared<CpuQueue>(
      [this](const Batch& batch) { return ops_.run(batch, [this] { return line_->others_wait(); }); }, whole.health());
}

CpuPart::~CpuPart() { line_->stop(); }

cpu::ThreadPlan part_of(const cpu::ThreadPlan& plan, unsigned first, unsigned count) {
  cpu::ThreadPlan part;
  part.threads = count;
  if (plan.places.empty()) return part;
  // A plan's first thread is the calling thread, which is not bound to a processor; so is that of a part.
  for (unsigned thread = first + 1; thread < first + count; ++thread) part.places.push_back(plan.places[thread - 1]);
  return part;
}

}  // namespace skmd::icd
