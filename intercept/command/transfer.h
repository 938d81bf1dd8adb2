// SPDX-License-Identifier: Apache-2.0
// Read, write, copy, fill and migrate, for linear ranges, rectangles and images alike. Arguments have been checked; a
// region of no bytes makes a command that touches nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "intercept/memory/rect_region.h"
#include "intercept/memory/storage.h"
#include "intercept/object/command.h"

namespace skmd::icd {

std::shared_ptr<Command> make_read(const std::shared_ptr<Storage>& from, const RectRegion& region, const HostBox& to);
/// `from` is read when the command runs, not before: the application may fill it behind a user event.
std::shared_ptr<Command> make_write(const std::shared_ptr<Storage>& to, const RectRegion& region, const HostBox& from);
/// Equal extents on both sides. Overlapping regions of one root behave like memmove.
std::shared_ptr<Command> make_copy(const std::shared_ptr<Storage>& from, const RectRegion& source,
                                   const std::shared_ptr<Storage>& to, const RectRegion& target);
/// Every row of `region` is a whole number of patterns.
std::shared_ptr<Command> make_fill(const std::shared_ptr<Storage>& to, const RectRegion& region,
                                   std::vector<std::byte> pattern);

/// Between memory of the application's that no object has; the two may overlap.
std::shared_ptr<Command> make_host_copy(std::byte* to, const std::byte* from, std::uint64_t bytes);

struct MigratedView {
  std::shared_ptr<Storage> storage;
  RectRegion region;
};
std::shared_ptr<Command> make_migrate(const std::vector<MigratedView>& views, cl_mem_migration_flags flags);

}  // namespace skmd::icd
