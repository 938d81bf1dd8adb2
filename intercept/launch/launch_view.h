// SPDX-License-Identifier: Apache-2.0
// A frozen launch seen through the domain's eyes: root buffers, argument views, footprints of spans on roots.
#pragma once

#include <memory>
#include <vector>

#include "intercept/launch/launch.h"
#include "intercept/object/storage.h"
#include "partitioner/footprint.h"
#include "partitioner/merge.h"

namespace skmd::icd {

class LaunchView {
 public:
  explicit LaunchView(const Launch& launch);

  [[nodiscard]] const std::vector<std::shared_ptr<Storage>>& roots() const { return roots_; }
  [[nodiscard]] const std::vector<domain::RootView>& views() const { return root_views_; }
  [[nodiscard]] const std::vector<domain::ArgumentView>& arguments() const { return argument_views_; }

  /// What the groups of `span` touch, per root, aliases joined. Opaque kernels and images: everything.
  [[nodiscard]] std::vector<domain::RootFootprint> footprints(const domain::GroupSpan& span) const;
  /// The footprint of the whole launch, computed once.
  [[nodiscard]] const std::vector<domain::RootFootprint>& whole() const { return whole_; }

  /// What must be valid on a device before it runs: reads, and old bytes under writes that are not sure.
  static domain::RangeSet needed(const domain::RootFootprint& footprint);
  /// For RangeLock.
  [[nodiscard]] std::vector<Claim> claims() const;

 private:
  std::uint32_t root_of(const std::shared_ptr<Storage>& storage);
  void add_unanalysed(std::vector<domain::RootFootprint>& roots) const;

  const Launch& launch_;
  std::vector<std::shared_ptr<Storage>> roots_;
  std::vector<domain::RootView> root_views_;          // per argument
  std::vector<domain::ArgumentView> argument_views_;  // per argument
  std::vector<domain::RootFootprint> whole_;
};

}  // namespace skmd::icd
