// SPDX-License-Identifier: Apache-2.0
// How one launch gave way to others while it ran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace skmd::icd {

/// In what way; of several slices, the one that comes last here.
enum class PreemptForm : std::uint8_t {
  none,   // not at all
  cut,    // its device was given it in pieces
  group,  // its device could end it between work-groups
  item,   // or inside of them
};
const char* name(PreemptForm form);

/// Why a slice did not. Names of the schema.
enum class NotPreempted : std::uint8_t {
  brief,           // "short": it is expected to end soon enough, or nothing is known of its time
  opaque_program,  // what its kernel does is not known
  no_form_here,    // not on this device, not with these images, or it is a single work-group
  groups_wait,     // its work-groups wait for each other, or may
  costs_too_much,  // its code that can be stopped inside of groups is slower than its own; it gives way between groups
};
inline constexpr std::size_t kNotPreemptedCount = 5;  // reasons above
const char* name(NotPreempted reason);

struct PreemptReport {
  PreemptForm form = PreemptForm::none;
  std::optional<NotPreempted> why_not = {};
  std::uint64_t never_ran_groups = 0;       // that were left when slices were stopped; a group may count repeatedly
  std::uint64_t saved_groups = 0;           // that were stopped inside; a group may count repeatedly
  std::uint64_t resumed_items = 0;          // work-items of such groups when they went on
  std::uint64_t resumed_together = 0;       // groups that went on whose items had left at one point
  std::uint64_t resumed_apart = 0;          // and those whose items had left each by itself
  std::uint64_t rebalances = 0;             // times that the launch was stopped to be divided anew
  std::uint64_t rebalanced_groups = 0;      // groups that were left then; a group may count repeatedly
  std::uint64_t state_bytes = 0;            // of the largest state of a group, its local memory included
  std::uint32_t points = 0;                 // yield points of the kernel's code
  std::vector<std::uint64_t> stop_ns = {};  // of each stop: from the request until the device was free
  std::vector<std::uint64_t> moved_groups = {};  // per device: groups that ran there, having been left on another
  std::vector<std::uint64_t> moved_inside =
      {};  // per device: that went on there, having been stopped inside on another

  void add(const PreemptReport& other);
  void add_moved(std::uint32_t device, std::uint64_t groups);
  void add_moved_inside(std::uint32_t device, std::uint64_t groups);
};

}  // namespace skmd::icd
