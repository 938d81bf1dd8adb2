// SPDX-License-Identifier: Apache-2.0
// What a launch's shape has to say of shared virtual memory.
#include <algorithm>

#include "intercept/launch/launch_shape.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

void LaunchShape::find_open(const Launch& launch) {
  if (!follows_svm_pointers(launch)) return;
  open_.assign(roots_, false);
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (const auto* view = std::get_if<BufferView>(&launch.arguments[i]); view != nullptr && view->storage->is_shared())
      open_[views_[i].root] = true;
  std::vector<bool> named(roots_, false);
  for (const domain::RootView& view : views_)
    if (view.root != domain::kNoRoot) named[view.root] = true;
  // Those that no argument names are reached by pointers alone.
  for (std::size_t r = 0; r < roots_; ++r) open_[r] = open_[r] || !named[r];
}

bool LaunchShape::reaches_back() const {
  const auto reaches = [](const Argument& own) { return own.before != 0; };
  if (kernel_.opaque() || std::none_of(arguments_.begin(), arguments_.end(), reaches)) return false;
  const auto touched =
      domain::evaluate(kernel_.traits(), range_, domain::GroupSpan{0, range_.group_total()}, argument_views_);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const domain::ByteRange before{0, arguments_[i].before};
    if (before.empty()) continue;
    const auto& loads = kernel_.traits().merge_loads;
    const bool loaded = std::find(loads.begin(), loads.end(), i) != loads.end();
    if (touched[i].may_write.intersects(before) || (loaded && touched[i].reads.intersects(before))) return true;
  }
  return false;
}

void LaunchShape::add_open(std::vector<domain::RootFootprint>& roots) const {
  for (std::size_t r = 0; r < open_.size(); ++r) {
    if (!open_[r]) continue;
    const domain::ByteRange all{0, root_bytes_[r]};
    roots[r].reads.add(all);
    roots[r].may_write.add(all);
    roots[r].write_unknown = true;
  }
}

}  // namespace skmd::icd
