// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/preempt_report.h"

#include <algorithm>

namespace skmd::icd {
namespace {

void add_to(std::vector<std::uint64_t>& counts, std::uint32_t device, std::uint64_t groups) {
  if (counts.size() <= device) counts.resize(device + 1);
  counts[device] += groups;
}

}  // namespace

const char* name(PreemptForm form) {
  switch (form) {
    case PreemptForm::none:
      return "none";
    case PreemptForm::cut:
      return "cut";
    case PreemptForm::group:
      return "group";
    case PreemptForm::item:
      return "item";
  }
  return "unknown";
}

const char* name(NotPreempted reason) {
  switch (reason) {
    case NotPreempted::brief:
      return "short";
    case NotPreempted::opaque_program:
      return "opaque_program";
    case NotPreempted::no_form_here:
      return "no_form_here";
    case NotPreempted::groups_wait:
      return "groups_wait";
    case NotPreempted::costs_too_much:
      return "costs_too_much";
  }
  return "unknown";
}

void PreemptReport::add(const PreemptReport& other) {
  form = std::max(form, other.form);
  if (other.why_not) why_not = other.why_not;
  never_ran_groups += other.never_ran_groups;
  saved_groups += other.saved_groups;
  resumed_items += other.resumed_items;
  resumed_together += other.resumed_together;
  resumed_apart += other.resumed_apart;
  rebalances += other.rebalances;
  rebalanced_groups += other.rebalanced_groups;
  state_bytes = std::max(state_bytes, other.state_bytes);
  points = std::max(points, other.points);
  stop_ns.insert(stop_ns.end(), other.stop_ns.begin(), other.stop_ns.end());
  for (std::uint32_t device = 0; device < other.moved_groups.size(); ++device)
    add_moved(device, other.moved_groups[device]);
  for (std::uint32_t device = 0; device < other.moved_inside.size(); ++device)
    add_moved_inside(device, other.moved_inside[device]);
}

void PreemptReport::add_moved(std::uint32_t device, std::uint64_t groups) { add_to(moved_groups, device, groups); }

void PreemptReport::add_moved_inside(std::uint32_t device, std::uint64_t groups) {
  add_to(moved_inside, device, groups);
}

}  // namespace skmd::icd
