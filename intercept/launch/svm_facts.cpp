// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/svm_facts.h"

#include <algorithm>

#include "intercept/launch/eligibility.h"
#include "intercept/memory/storage.h"
#include "partitioner/footprint/footprint.h"

namespace skmd::icd {

SvmFacts::SvmFacts(const Launch& launch, const LaunchArguments& arguments) : arguments_(arguments) {
  if (!follows_svm_pointers(launch)) return;
  const std::vector<domain::RootView>& views = arguments.views();
  open_.assign(arguments.roots(), false);
  for (std::size_t i = 0; i < arguments.count(); ++i)
    if (const auto* view = std::get_if<BufferView>(&launch.arguments[i]); view != nullptr && view->storage->is_shared())
      open_[views[i].root] = true;
  std::vector<bool> named(arguments.roots(), false);
  for (const domain::RootView& view : views)
    if (view.root != domain::kNoRoot) named[view.root] = true;
  // Those that no argument names are reached by pointers alone.
  for (std::size_t r = 0; r < open_.size(); ++r) open_[r] = open_[r] || !named[r];
}

void SvmFacts::add_open(std::vector<domain::RootFootprint>& roots) const {
  for (std::size_t r = 0; r < open_.size(); ++r) {
    if (!open_[r]) continue;
    const domain::ByteRange all{0, arguments_.root_bytes(r)};
    roots[r].reads.add(all);
    roots[r].may_write.add(all);
    roots[r].write_unknown = true;
  }
}

bool reaches_back(const BuiltKernel& kernel, const domain::NdRange& range, const LaunchArguments& arguments) {
  bool any = false;
  for (std::size_t i = 0; i < arguments.count(); ++i) any = any || arguments.before(i) != 0;
  if (kernel.opaque() || !any) return false;
  const auto touched =
      domain::evaluate(kernel.traits(), range, domain::GroupSpan{0, range.group_total()}, arguments.values());
  for (std::size_t i = 0; i < arguments.count(); ++i) {
    const domain::ByteRange before{0, arguments.before(i)};
    if (before.empty()) continue;
    const auto& loads = kernel.traits().merge_loads;
    const bool loaded = std::find(loads.begin(), loads.end(), i) != loads.end();
    if (touched[i].may_write.intersects(before) || (loaded && touched[i].reads.intersects(before))) return true;
  }
  return false;
}

}  // namespace skmd::icd
