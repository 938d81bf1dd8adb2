// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_footprints.h"

#include <memory>
#include <utility>

#include "intercept/launch/decision_constants.h"
#include "partitioner/footprint/footprint.h"
#include "partitioner/footprint/row_gaps.h"
#include "partitioner/residency/transfer.h"

namespace skmd::icd {

using namespace tuning;

LaunchFootprints::LaunchFootprints(const Launch& launch, const LaunchArguments& arguments)
    : kernel_(*launch.kernel), range_(launch.range), arguments_(arguments), svm_(launch, arguments) {
  auto roots = roots_of({0, range_.group_total()});
  for (std::size_t r = 0; r < roots.size(); ++r)
    gaps_.push_back(arguments_.row_bytes(r) == 0 ? domain::row_gaps(roots[r].may_write) : domain::RangeSet());
  whole_ = closed(std::move(roots));
}

SharedFootprint LaunchFootprints::of(const domain::GroupSpan& span) {
  if (span.first == 0 && span.last == range_.group_total()) return whole_;
  return cache_.get(span, [&] { return closed(roots_of(span)); });
}

std::vector<domain::AtomicFootprint> LaunchFootprints::atomics(const domain::GroupSpan& span) const {
  return domain::evaluate_atomics(kernel_.traits(), range_, span, arguments_.values(), arguments_.views(),
                                  static_cast<std::uint32_t>(arguments_.roots()));
}

std::vector<domain::RootFootprint> LaunchFootprints::roots_of(const domain::GroupSpan& span) const {
  std::vector<domain::RootFootprint> roots(arguments_.roots());
  if (kernel_.opaque()) {
    add_unanalysed(roots);
  } else {
    const auto touched = domain::evaluate(kernel_.traits(), range_, span, arguments_.values());
    roots = domain::on_roots(touched, arguments_.views(), static_cast<std::uint32_t>(arguments_.roots()));
  }
  svm_.add_open(roots);
  round_images(roots);
  return roots;
}

SharedFootprint LaunchFootprints::closed(std::vector<domain::RootFootprint> roots) const {
  auto footprint = std::make_shared<SpanFootprint>();
  for (std::size_t r = 0; r < roots.size(); ++r) domain::close_row_gaps(roots[r], gaps_[r]);
  footprint->roots = std::move(roots);
  for (const domain::RootFootprint& root : footprint->roots) {
    footprint->needed.push_back(root.may_write.difference(root.must_write));
    footprint->needed.back().add(root.reads);
    footprint->in_place.push_back(footprint->needed.back().intersection(root.may_write));
  }
  return footprint;
}

void LaunchFootprints::add_unanalysed(std::vector<domain::RootFootprint>& roots) const {
  for (std::size_t i = 0; i < arguments_.count(); ++i) {
    const domain::RootView& view = arguments_.views()[i];
    if (view.root == domain::kNoRoot) continue;
    const domain::ByteRange all{view.offset, view.offset + arguments_.bytes(i)};
    domain::RootFootprint& root = roots[view.root];
    root.reads.add(all);
    root.may_write.add(all);
    root.write_unknown = true;
  }
}

void LaunchFootprints::round_images(std::vector<domain::RootFootprint>& roots) const {
  for (std::size_t r = 0; r < roots.size(); ++r) {
    const std::uint64_t row = arguments_.row_bytes(r);
    if (row == 0 || domain::row_runs(roots[r].may_write).size() <= kMaxImageRuns) continue;
    domain::RangeSet may;
    domain::RangeSet must;
    for (const domain::ByteRange& range : roots[r].may_write.ranges())
      may.add(domain::ByteRange{range.begin / row * row, (range.end + row - 1) / row * row});
    for (const domain::ByteRange& range : roots[r].must_write.ranges()) {
      const domain::ByteRange whole{(range.begin + row - 1) / row * row, range.end / row * row};
      if (!whole.empty()) must.add(whole);
    }
    roots[r].may_write = std::move(may);
    roots[r].must_write = std::move(must);
  }
}

}  // namespace skmd::icd
