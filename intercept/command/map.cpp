// SPDX-License-Identifier: Apache-2.0
#include "intercept/command/map.h"

#include <algorithm>
#include <string>
#include <utility>

#include "intercept/command/command_constants.h"
#include "intercept/command/range_command.h"
#include "intercept/memory/range_lock.h"

namespace skmd::icd {

namespace {

using namespace tuning;

bool writes(cl_map_flags flags) { return (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0; }

/// Of shared virtual memory the specification forbids nothing here, and programs map it in a nested way.
bool reserves(const Memory& memory, cl_map_flags flags) { return writes(flags) && !memory.is_allocation(); }

class MapCommand final : public RangeCommand {
 public:
  MapCommand(std::shared_ptr<Storage> storage, const Mapping& mapping, const HostBox& bounce)
      : RangeCommand("map", bounce.first == nullptr || mapping.region.bytes() <= kInlineBytes),
        storage_(std::move(storage)),
        mapping_(mapping),
        bounce_(bounce) {
    const bool invalidate = invalidates();
    touch(storage_, effective_ranges(*storage_, mapping.region), invalidate,
          invalidate ? HostCopy::ignored : HostCopy::required);
  }

 protected:
  Status perform() override {
    auto root = storage_->host();
    if (!root) return root.error();
    // The old contents are given up, but not forgotten: no command may fetch or zero bytes that the application now
    // writes.
    if (invalidates())
      storage_->host_written(mapping_.ranges);
    else
      storage_->usage().read_back(mapping_.region.bytes(), false);
    if (writes(mapping_.flags)) storage_->mapped_for_writing(mapping_.ranges);
    if (bounce_.first != nullptr) copy_to_host(*root, mapping_.region, bounce_);
    *mapping_.made = true;
    return {};
  }

 private:
  /// A part of an image cannot be given up alone.
  [[nodiscard]] bool invalidates() const {
    return (mapping_.flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 &&
           !(storage_->is_image() && mapping_.region.bytes() != storage_->bytes());
  }

  std::shared_ptr<Storage> storage_;
  Mapping mapping_;
  HostBox bounce_;
};

class UnmapCommand final : public RangeCommand {
 public:
  UnmapCommand(std::shared_ptr<Storage> storage, const Mapping& mapping, const HostBox& bounce)
      : RangeCommand("unmap", bounce.first == nullptr || mapping.region.bytes() <= kInlineBytes),
        storage_(std::move(storage)),
        mapping_(mapping),
        bounce_(bounce) {
    if (!writes(mapping.flags)) return;  // a mapping for reading dirties nothing
    const bool part = storage_->is_image() && mapping.region.bytes() != storage_->bytes();
    touch(storage_, effective_ranges(*storage_, mapping.region), true, part ? HostCopy::required : HostCopy::ignored);
  }

 protected:
  Status perform() override {
    // After a map that failed, the bytes at the pointer are not those of the object.
    if (!writes(mapping_.flags) || !*mapping_.made) return {};
    auto root = storage_->host();
    if (!root) return root.error();
    if (bounce_.first != nullptr) copy_from_host(*root, mapping_.region, bounce_);
    // Exactly now device copies are stale, not at the map: kernels that read meanwhile keep their bytes.
    storage_->host_written(effective_ranges(*storage_, mapping_.region));
    storage_->unmapped(mapping_.ranges);
    *mapping_.made = false;
    return {};
  }

 private:
  std::shared_ptr<Storage> storage_;
  Mapping mapping_;
  HostBox bounce_;
};

std::shared_ptr<PreparedRequest> prepare_end(const std::shared_ptr<Storage>& storage, const Mapping& mapping) {
  const domain::RangeSet claimed = effective_ranges(*storage, mapping.region);
  return std::make_shared<PreparedRequest>(std::vector{claim_on(storage, claimed, true)},
                                           [storage, mapped = mapping.ranges](const RangeLock&) {
                                             // Not `claimed`, all of an image: a device may have written what was not
                                             // mapped.
                                             storage->host_rewritten(mapped);
                                             storage->unmapped(mapped);
                                           });
}

}  // namespace

Result<Mapping> open_mapping(Memory& memory, const RectRegion& region, cl_map_flags flags, void* pointer) {
  Mapping mapping{pointer, flags, region.ranges(), region, std::make_shared<std::atomic<bool>>(false), nullptr};
  if (writes(flags)) mapping.end = prepare_end(memory.storage(), mapping);
  if (reserves(memory, flags) && !memory.storage()->reserve_write_map(mapping.ranges))
    return domain::Error{CL_INVALID_OPERATION, "the region of " + std::to_string(region.bytes()) + " bytes at offset " +
                                                   std::to_string(region.begin) + " is already mapped for writing"};
  const MutexGuard lock(memory.mutex());
  memory.mappings().push_back(mapping);
  return mapping;
}

Result<Mapping> close_mapping(Memory& memory, const void* pointer) {
  Mapping mapping;
  {
    const MutexGuard lock(memory.mutex());
    auto& open = memory.mappings();
    auto found = open.end();
    for (auto it = open.begin(); it != open.end(); ++it)
      if (it->pointer == pointer && (found == open.end() || !writes(it->flags))) found = it;
    if (found == open.end())
      return domain::Error{CL_INVALID_VALUE, "mapped_ptr is not a pointer that mapping this object returned"};
    mapping = std::move(*found);
    open.erase(found);
  }
  if (reserves(memory, mapping.flags)) memory.storage()->release_write_map(mapping.ranges);
  return mapping;
}

void drop_mapping(Memory& memory, const Mapping& mapping) {
  {
    const MutexGuard lock(memory.mutex());
    auto& open = memory.mappings();
    const auto found = std::find_if(open.begin(), open.end(), [&](const Mapping& entry) {
      return entry.pointer == mapping.pointer && entry.flags == mapping.flags && entry.ranges == mapping.ranges;
    });
    if (found == open.end()) return;
    open.erase(found);
  }
  if (reserves(memory, mapping.flags)) memory.storage()->release_write_map(mapping.ranges);
}

void end_mapping(const Mapping& mapping) noexcept {
  if (mapping.end && mapping.made->exchange(false)) mapping.end->submit();
}

std::shared_ptr<Command> make_map(const Memory& memory, const Mapping& mapping, const HostBox& bounce) {
  return std::make_shared<MapCommand>(memory.storage(), mapping, bounce);
}

std::shared_ptr<Command> make_unmap(const Memory& memory, const Mapping& mapping, const HostBox& bounce) {
  return std::make_shared<UnmapCommand>(memory.storage(), mapping, bounce);
}

}  // namespace skmd::icd
