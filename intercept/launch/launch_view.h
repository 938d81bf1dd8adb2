// SPDX-License-Identifier: Apache-2.0
// A frozen launch seen through the domain's eyes: which roots it touches, and its shape.
#pragma once

#include <memory>
#include <vector>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/range_lock.h"
#include "intercept/memory/storage.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

class LaunchView {
 public:
  LaunchView(Machine& machine, const Launch& launch);

  [[nodiscard]] const std::vector<std::shared_ptr<Storage>>& roots() const { return roots_; }
  /// Those of the roots that are arguments: what needs a native object on a device.
  [[nodiscard]] std::vector<Storage*> argument_roots() const;
  [[nodiscard]] const std::vector<domain::RootView>& views() const { return views_; }  ///< per argument
  [[nodiscard]] LaunchShape& shape() const { return *shape_; }
  [[nodiscard]] const SpanFootprint& whole() const { return *shape_->whole(); }
  /// For RangeLock.
  [[nodiscard]] std::vector<Claim> claims() const;

 private:
  std::uint32_t root_of(const std::shared_ptr<Storage>& storage);
  std::vector<std::shared_ptr<Storage>> roots_;
  std::vector<domain::RootView> views_;
  std::shared_ptr<LaunchShape> shape_;
};

}  // namespace skmd::icd
