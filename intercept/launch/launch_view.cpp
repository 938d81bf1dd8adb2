// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_view.h"

#include <algorithm>

namespace skmd::icd {

LaunchView::LaunchView(const Launch& launch) : launch_(launch) {
  const std::size_t count = launch.arguments.size();
  root_views_.resize(count, {domain::kNoRoot, 0});
  argument_views_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    if (const auto* view = std::get_if<BufferView>(&argument)) {
      root_views_[i] = {root_of(view->storage), view->offset};
      argument_views_[i] = {true, view->size, {}};
    } else if (const auto* image = std::get_if<ImageView>(&argument)) {
      root_views_[i] = {root_of(image->storage), image->over_buffer ? image->offset : 0};
    } else if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) {
      argument_views_[i].value = *value;
    } else if (std::holds_alternative<NullPointer>(argument)) {
      argument_views_[i].is_buffer = true;
    }
  }
  whole_ = footprints({0, launch.range.group_total()});
}

std::uint32_t LaunchView::root_of(const std::shared_ptr<Storage>& storage) {
  const auto found = std::find(roots_.begin(), roots_.end(), storage);
  if (found != roots_.end()) return static_cast<std::uint32_t>(found - roots_.begin());
  roots_.push_back(storage);
  return static_cast<std::uint32_t>(roots_.size() - 1);
}

std::vector<domain::RootFootprint> LaunchView::footprints(const domain::GroupSpan& span) const {
  std::vector<domain::RootFootprint> roots;
  if (launch_.kernel->opaque()) {
    roots.resize(roots_.size());
  } else {
    const auto arguments = domain::evaluate(launch_.kernel->traits(), launch_.range, span, argument_views_);
    roots = domain::on_roots(arguments, root_views_, static_cast<std::uint32_t>(roots_.size()));
  }
  add_unanalysed(roots);
  return roots;
}

void LaunchView::add_unanalysed(std::vector<domain::RootFootprint>& roots) const {
  const domain::KernelTraits& traits = launch_.kernel->traits();
  for (std::size_t i = 0; i < launch_.arguments.size(); ++i) {
    if (root_views_[i].root == domain::kNoRoot) continue;
    const auto* image = std::get_if<ImageView>(&launch_.arguments[i]);
    if (image == nullptr && !launch_.kernel->opaque()) continue;
    const std::uint64_t begin = root_views_[i].offset;
    const std::uint64_t size = image == nullptr     ? argument_views_[i].bytes
                               : image->over_buffer ? image->size
                                                    : image->storage->bytes();
    const bool read_only = image != nullptr && !launch_.kernel->opaque() && i < traits.parameters.size() &&
                           traits.parameters[i].image_access == domain::ImageAccess::read_only;
    domain::RootFootprint& root = roots[root_views_[i].root];
    root.reads.add(domain::ByteRange{begin, begin + size});
    if (read_only) continue;
    root.may_write.add(domain::ByteRange{begin, begin + size});
    root.write_unknown = true;
  }
}

domain::RangeSet LaunchView::needed(const domain::RootFootprint& footprint) {
  domain::RangeSet needed = footprint.may_write.difference(footprint.must_write);
  needed.add(footprint.reads);
  return needed;
}

std::vector<Claim> LaunchView::claims() const {
  std::vector<Claim> claims;
  claims.reserve(2 * roots_.size());
  for (std::size_t r = 0; r < roots_.size(); ++r) {
    if (!whole_[r].reads.empty()) claims.push_back({roots_[r], whole_[r].reads, false});
    if (!whole_[r].may_write.empty()) claims.push_back({roots_[r], whole_[r].may_write, true});
  }
  return claims;
}

}  // namespace skmd::icd
