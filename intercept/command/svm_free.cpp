// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/svm_free.h"

#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/object/svm.h"

namespace skmd::icd {

namespace {

class SvmFreeCommand final : public Command {
 public:
  SvmFreeCommand(Context& context, std::vector<void*> pointers, const SvmFreeNotice& notice)
      : context_(&context), pointers_(std::move(pointers)), notice_(notice) {}

  [[nodiscard]] bool runs_foreign_code() const override { return notice_.function != nullptr; }

  cl_int run(Event& event) override {
    event.work_started(host_now());
    if (notice_.function != nullptr) {
      notice_.function(notice_.queue, static_cast<cl_uint>(pointers_.size()), pointers_.data(), notice_.user_data);
    } else {
      for (const void* const pointer : pointers_) (void)context_->svm().take(pointer);
    }
    event.work_ended(host_now());
    return CL_COMPLETE;
  }

 private:
  const Ref<Context> context_;
  std::vector<void*> pointers_;
  const SvmFreeNotice notice_;
};

}  // namespace

std::shared_ptr<Command> make_svm_free(Context& context, std::vector<void*> pointers, const SvmFreeNotice& notice) {
  return std::make_shared<SvmFreeCommand>(context, std::move(pointers), notice);
}

}  // namespace skmd::icd
