// SPDX-License-Identifier: Apache-2.0
// The second form of a vendor's program, whose kernels can be stopped inside of work-groups: OpenCL C that skmd-compile
// made (compiler/client/stoppable.h), built by the vendor.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "compiler/client/stoppable.h"
#include "intercept/backend/port/port.h"
#include "intercept/backend/vendor/native_objects.h"

namespace skmd::icd {

/// How such text is made. Both are called on any thread.
struct StoppableMaker {
  /// Blocks for as long as a compiler takes. `target`: one of those in compiler/client/stoppable.h.
  std::function<Result<compiler::StoppableText>(const std::string& text, const std::string& options,
                                                std::string_view target)>
      compile;
  std::function<void(std::function<void()>)> later;       // runs work on a thread of its own
  std::function<void(const std::string& reason)> report;  // why a program has no such form
};

/// One kernel of it.
struct StoppableKernelCode {
  std::shared_ptr<NativeKernel> kernel;
  compiler::StoppableKernel facts;
  bool clock = false;  // without one, groups leave after so many looks
};

/// Made when it is first asked for, once. Thread-safe.
class StoppableCode {
 public:
  struct Made {
    std::map<std::string, StoppableKernelCode> kernels;
  };
  /// Blocks for as long as two compilers take. std::nullopt: it cannot be made.
  using Make = std::function<std::optional<Made>()>;
  using Later = std::function<void(std::function<void()>)>;
  StoppableCode(Make make, Later later) : make_(std::move(make)), later_(std::move(later)) {}

  /// Of a kernel; null if it has none or, without `wait`, if none is there yet: then it is made on another thread.
  /// `self` owns this.
  static const StoppableKernelCode* find(const std::shared_ptr<StoppableCode>& self, const std::string& kernel,
                                         bool wait);
  /// The same, and nothing is made.
  [[nodiscard]] const StoppableKernelCode* ready(const std::string& kernel) const;

 private:
  void make();

  const Make make_;
  const Later later_;
  std::atomic<bool> claimed_{false}, made_{false};
  std::once_flag once_;
  Made code_;
};

}  // namespace skmd::icd
