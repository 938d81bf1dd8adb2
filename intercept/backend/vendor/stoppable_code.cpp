// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/vendor/stoppable_code.h"

#include <new>
#include <utility>

namespace skmd::icd {

void StoppableCode::make() {
  std::call_once(once_, [this] {
    try {
      if (auto made = make_()) code_ = std::move(*made);
    } catch (const std::bad_alloc&) {  // as if it could not be made
    }
    made_.store(true, std::memory_order_release);
  });
}

const StoppableKernelCode* StoppableCode::ready(const std::string& kernel) const {
  if (!made_.load(std::memory_order_acquire)) return nullptr;
  const auto found = code_.kernels.find(kernel);
  return found == code_.kernels.end() ? nullptr : &found->second;
}

const StoppableKernelCode* StoppableCode::find(const std::shared_ptr<StoppableCode>& self, const std::string& kernel,
                                               bool wait) {
  if (wait) {
    self->make();
  } else if (!self->claimed_.exchange(true)) {
    self->later_([self] { self->make(); });
  }
  return self->ready(kernel);
}

}  // namespace skmd::icd
