// SPDX-License-Identifier: Apache-2.0
// clEnqueueCopyBuffer's data path: each piece is copied where it is, so that a copy of a split range is several copies.
#include <cstring>

#include "intercept/memory/bytes.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/memory/mover.h"

namespace skmd::icd {

namespace {

using namespace tuning;

struct CopyTask {
  Storage& from;
  Storage& to;
  std::int64_t delta;  // destination offset - source offset
};

domain::SpaceId source_space(const domain::ResidencyMap::Piece& piece, domain::SpaceMask at_work) {
  const bool on_host = (piece.valid & 1u) != 0;
  const domain::SpaceMask devices = piece.valid & at_work & ~domain::SpaceMask{1};
  if (devices == 0 || (on_host && piece.range.size() < kSmallCopy)) return domain::kHostSpace;
  return static_cast<domain::SpaceId>(__builtin_ctzll(devices));
}

Status copy_on_host(const CopyTask& task, const domain::ByteRange& range) {
  auto source = task.from.host();
  if (!source) return source.error();
  auto target = task.to.host();
  if (!target) return target.error();
  std::memmove(*target + static_cast<std::int64_t>(range.begin) + task.delta, *source + range.begin, range.size());
  task.to.host_written(domain::RangeSet(range).shifted(task.delta));
  return {};
}

Status copy_on_device(const CopyTask& task, const domain::ByteRange& range, domain::SpaceId space) {
  // Launches commit the uploads of a batch before they submit it, with this mutex held: once it was free, the batch is
  // submitted.
  { const MoveGuard submitted({&task.from}); }
  Machine& machine = task.from.machine();
  const std::uint32_t index = device_of_space(machine, space);
  const domain::RangeSet written = domain::RangeSet(range).shifted(task.delta);
  auto source = task.from.native(index);
  if (!source) return source.error();
  (void)machine.memory.hold(index, task.to);
  auto target = task.to.native(index);
  if (!target) return target.error();
  Batch batch;
  const auto to_offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(range.begin) + task.delta);
  batch.ops.emplace_back(CopyOp{*source, *target, range.begin, to_offset, range.size()});
  BatchGroup group;
  group.submit(*machine.devices[index], std::move(batch));
  const Status status = group.wait();
  const bool good = status && still_valid(machine, task.from, index, range);
  const MutexGuard lock(task.to.mutex());
  if (good)
    task.to.residency().written(space, written);
  else
    task.to.residency().withdrawn(space, written);
  return good || !status ? status : domain::Error{CL_OUT_OF_RESOURCES, "the bytes to copy never reached the device"};
}

/// A device that has all of `ranges`, by its space; the host space if there is none or host memory is the better place.
domain::SpaceId whole_source(Storage& from, const domain::RangeSet& ranges) {
  const MutexGuard lock(from.mutex());
  from.leave_lost_copies();
  const auto& residency = from.residency();
  const domain::SpaceMask at_work = spaces_at_work(from.machine());
  const std::uint64_t bytes = ranges.bytes();
  if (bytes < kSmallCopy && residency.valid(domain::kHostSpace, ranges).bytes() == bytes) return domain::kHostSpace;
  for (const auto& device : from.machine().devices) {
    const domain::SpaceId space = device->description().space;
    if (space != domain::kHostSpace && (at_work >> space & 1) != 0 && residency.valid(space, ranges).bytes() == bytes)
      return space;
  }
  return domain::kHostSpace;
}

/// CUDA's drivers refuse pitches of 2 GiB and more.
bool fits_a_native_copy(const RectRegion& region) {
  constexpr std::uint64_t kMaxPitch = 0x7fffffff;  // bytes
  return region.row_pitch <= kMaxPitch && region.row_pitch >= region.row_bytes &&
         region.slice_pitch >= region.row_pitch * region.rows && region.slice_pitch % region.row_pitch == 0;
}

}  // namespace

bool copy_rows_on_device(Storage& from, const RectRegion& source, Storage& to, const RectRegion& target) {
  if (from.is_image() || to.is_image() || source.bytes() == 0) return false;
  if (!fits_a_native_copy(source) || !fits_a_native_copy(target)) return false;
  const domain::RangeSet read = source.ranges();
  const domain::RangeSet written = target.ranges();
  if (&from == &to && read.intersects(written)) return false;
  const domain::SpaceId space = whole_source(from, read);
  if (space == domain::kHostSpace) return false;
  // Launches commit the uploads of a batch before they submit it, with this mutex held: once it was free, the batch is
  // submitted.
  { const MoveGuard submitted({&from}); }
  Machine& machine = from.machine();
  const std::uint32_t index = device_of_space(machine, space);
  (void)machine.memory.hold(index, to);
  auto native_from = from.native(index);
  auto native_to = to.native(index);
  if (!native_from || !native_to) return false;
  CopyRectOp op{*native_from, *native_to, source.begin, target.begin, {source.row_bytes, source.rows, source.slices}};
  op.from_pitch[0] = source.row_pitch, op.from_pitch[1] = source.slice_pitch;
  op.to_pitch[0] = target.row_pitch, op.to_pitch[1] = target.slice_pitch;
  Batch batch;
  batch.ops.emplace_back(std::move(op));
  BatchGroup group;
  group.submit(*machine.devices[index], std::move(batch));
  const bool good = group.wait().ok() && still_valid(machine, from, index, read);
  const MutexGuard lock(to.mutex());
  if (good)
    to.residency().written(space, written);
  else
    to.residency().withdrawn(space, written);
  return good;
}

Status copy_bytes(Storage& from, std::uint64_t from_offset, Storage& to, std::uint64_t to_offset, std::uint64_t bytes) {
  if (bytes == 0) return {};
  const domain::ByteRange range{from_offset, from_offset + bytes};
  const CopyTask task{from, to, static_cast<std::int64_t>(to_offset) - static_cast<std::int64_t>(from_offset)};
  // Overlapping ranges need an order that devices do not give; images have no bytes on them that we could address.
  const domain::ByteRange target{to_offset, to_offset + bytes};
  const bool overlapping = &from == &to && range.begin < target.end && target.begin < range.end;
  if (overlapping || from.is_image() || to.is_image()) {
    if (auto status = from.gather(range, "copy"); !status) return status;
    if (to.is_image()) {
      if (auto status = to.gather(domain::ByteRange{0, to.bytes()}, "copy"); !status) return status;
      to.host_written(domain::ByteRange{0, to.bytes()});
    }
    return copy_on_host(task, range);
  }
  std::vector<domain::ResidencyMap::Piece> pieces;
  {
    const MutexGuard lock(from.mutex());
    from.leave_lost_copies();
    pieces = from.residency().pieces(range);
  }
  for (const auto& piece : pieces) {
    if (piece.valid == 0) {
      to.forget(domain::RangeSet(piece.range).shifted(task.delta));
      continue;
    }
    const domain::SpaceId space = source_space(piece, spaces_at_work(from.machine()));
    if (space != domain::kHostSpace) {
      if (copy_on_device(task, piece.range, space)) continue;
      // No room there for the target, perhaps: it is not needed there yet.
      if (Status status = from.gather(piece.range, "copy"); !status) return status;
    }
    if ((piece.valid & 1u) == 0 && space == domain::kHostSpace)  // on a device that is to get no more
      if (Status status = from.gather(piece.range, "copy"); !status) return status;
    if (Status status = copy_on_host(task, piece.range); !status) return status;
  }
  return {};
}

}  // namespace skmd::icd
