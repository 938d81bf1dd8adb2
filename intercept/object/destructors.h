// SPDX-License-Identifier: Apache-2.0
// Destructor callbacks of contexts and memory objects: the application's code, called when an object really goes.
#pragma once

#include <functional>
#include <vector>

namespace skmd::icd {

class Executor;

/// While one lives, destructor callbacks of objects that die on this thread run on this thread (the application
/// releases something); without, they are posted to the callback thread. A command's end may hold the last reference to
/// anything, and may come inside any call of an application that holds locks of its own.
class DestructorsHere {
 public:
  DestructorsHere();
  ~DestructorsHere();
  DestructorsHere(const DestructorsHere&) = delete;
  DestructorsHere& operator=(const DestructorsHere&) = delete;

 private:
  bool before_;
};

/// Calls `callbacks`, last registered first. `executor` null: on this thread.
void call_destructors(std::vector<std::function<void()>> callbacks, Executor* executor);

}  // namespace skmd::icd
