// SPDX-License-Identifier: Apache-2.0
#include "intercept/object/destructors.h"

#include <utility>

#include "intercept/machine/executor.h"

namespace skmd::icd {

namespace {
constinit thread_local bool destructors_here = false;
}  // namespace

DestructorsHere::DestructorsHere() : before_(std::exchange(destructors_here, true)) {}
DestructorsHere::~DestructorsHere() { destructors_here = before_; }

void call_destructors(std::vector<std::function<void()>> callbacks, Executor* executor) {
  if (callbacks.empty()) return;
  auto run = [list = std::move(callbacks)] {
    for (auto entry = list.rbegin(); entry != list.rend(); ++entry) (*entry)();
  };
  if (destructors_here || executor == nullptr)
    run();
  else
    executor->post_callback(std::move(run));
}

}  // namespace skmd::icd
