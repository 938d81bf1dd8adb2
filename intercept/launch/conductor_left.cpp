// SPDX-License-Identifier: Apache-2.0
// Slices that work-items leave where they would trap (SKMD_CHECK=deopt). Such a slice has run: only these items are not
// done, and go on on the CPU once the results of all slices are committed.
#include <algorithm>
#include <vector>

#include "intercept/launch/conductor.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/native_launch.h"
#include "intercept/launch/running_constants.h"
#include "intercept/launch/trap_use.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

using namespace tuning;

namespace {

/// `groups`, ascending, in spans: about kMaxLeftSpans at most, with the longest gaps between them.
std::vector<domain::GroupSpan> spans_of(const std::vector<std::uint64_t>& groups) {
  std::vector<domain::GroupSpan> spans;
  for (const std::uint64_t group : groups) {
    if (!spans.empty() && spans.back().last == group)
      ++spans.back().last;
    else
      spans.push_back({group, group + 1});
  }
  if (spans.size() <= kMaxLeftSpans) return spans;
  std::vector<std::uint64_t> gaps;
  for (std::size_t i = 1; i < spans.size(); ++i) gaps.push_back(spans[i].first - spans[i - 1].last);
  std::nth_element(gaps.begin(), gaps.end() - static_cast<std::ptrdiff_t>(kMaxLeftSpans), gaps.end());
  const std::uint64_t longest = *(gaps.end() - static_cast<std::ptrdiff_t>(kMaxLeftSpans));  // that is closed
  std::vector<domain::GroupSpan> joined;
  for (const domain::GroupSpan& span : spans) {
    if (!joined.empty() && span.first - joined.back().last <= longest)
      joined.back().last = span.last;
    else
      joined.push_back(span);
  }
  return joined;
}

}  // namespace

// Since the launch was frozen items may have left the device too often, or the CPU device may be gone: the kernel's own
// code checks nothing.
Status Conductor::may_be_checked(const SliceWork& slice) const {
  if (machine_.settings.check != CheckMode::deopt || stopped_.saved != nullptr) return {};
  const TrapUse use = view_.shape().trap_use(machine_, launch_, slice.device);
  if (use.why_not.empty()) return {};
  return domain::Error{CL_OUT_OF_RESOURCES, "kernel " + launch_.kernel->traits().name + " cannot be checked on " +
                                                machine_.devices[slice.device]->description().name + ": " +
                                                use.why_not};
}

bool Conductor::is_left(const SliceWork& slice) const {
  if (machine_.settings.check != CheckMode::deopt) return false;
  return stopped_.saved != nullptr || view_.shape().trap_use(machine_, launch_, slice.device).leaves;
}

void Conductor::append_left(const SliceWork& slice, const NativeCall& call, Slice& told, std::vector<Op>& ops) const {
  told.saved = stopped_.saved != nullptr ? stopped_.saved : std::make_shared<SavedGroups>();
  // Where a group is, is told in the same way wherever its items run.
  append_span(launch_, call, {0, launch_.range.group_total()}, ops);
  auto& run = std::get<RunOp>(ops.back());
  run.saved = told.saved;
  run.groups = slice.span;
}

void Conductor::add_left(const SliceWork& slice, const Slice& told) {
  if (told.begun < slice.span.size())
    unfinished_.stopped.push_back({{slice.span.first + told.begun, slice.span.last}, slice.device});
  const std::vector<std::uint64_t> groups = told.saved->stopped_groups();
  if (groups.empty()) return;
  left_.items += told.saved->left_items();
  left_.groups += groups.size();
  launch_.kernel->trapped_on(slice.device);
  for (const domain::GroupSpan& span : spans_of(groups)) {
    told.saved->end_others(span.first, span.last);
    unfinished_.stopped.push_back({span, slice.device, told.saved, span});
  }
}

}  // namespace skmd::icd
