// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_view.h"
#include "intercept/launch/decision.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/range_lock.h"
#include "intercept/object/launch.h"

#include <algorithm>

namespace skmd::icd {

LaunchView::LaunchView(Machine& machine, const Launch& launch) {
  views_.resize(launch.arguments.size(), {domain::kNoRoot, 0});
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (const auto* view = std::get_if<BufferView>(&launch.arguments[i]))
      views_[i] = {root_of(view->storage), view->offset};
    if (const auto* image = std::get_if<ImageView>(&launch.arguments[i]))
      views_[i] = {root_of(image->storage), image->over_buffer ? image->offset : 0};
  }
  for (const auto& storage : launch.reached) (void)root_of(storage);
  thread_local std::vector<std::uint64_t> root_bytes;
  root_bytes.clear();
  for (const auto& root : roots_) root_bytes.push_back(root->bytes());
  shape_ = LaunchShape::of(machine, launch, views_, root_bytes);
}

std::uint32_t LaunchView::root_of(const std::shared_ptr<Storage>& storage) {
  const auto found = std::find(roots_.begin(), roots_.end(), storage);
  if (found != roots_.end()) return static_cast<std::uint32_t>(found - roots_.begin());
  roots_.push_back(storage);
  return static_cast<std::uint32_t>(roots_.size() - 1);
}

std::vector<Storage*> LaunchView::argument_roots() const {
  std::vector<Storage*> roots;
  for (std::uint32_t r = 0; r < roots_.size(); ++r)
    if (std::any_of(views_.begin(), views_.end(), [&](const domain::RootView& view) { return view.root == r; }))
      roots.push_back(roots_[r].get());
  return roots;
}

std::vector<Claim> LaunchView::claims() const {
  std::vector<Claim> claims;
  claims.reserve(2 * roots_.size());
  const SharedFootprint& touched = shape_->whole();
  const auto claim = [&](std::size_t root, const domain::RangeSet& ranges, bool write) {
    if (!ranges.empty())
      claims.push_back({roots_[root], std::shared_ptr<const domain::RangeSet>(touched, &ranges), write});
  };
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    claim(r, touched->roots[r].reads, false);
    claim(r, touched->roots[r].may_write, true);
  }
  return claims;
}

}  // namespace skmd::icd
