// SPDX-License-Identifier: Apache-2.0
// clEnqueueCopyBuffer's data path: each piece is copied where it is, so that a copy of a split range is several copies.
#include <cstring>

#include "intercept/object/mover.h"

namespace skmd::icd {

namespace {

/// Pieces below this go through host memory when they are valid there: a native copy costs a round trip.
constexpr std::uint64_t kSmallCopy = 64 * 1024;

struct CopyTask {
  Storage& from;
  Storage& to;
  std::int64_t delta;  // destination offset - source offset
};

domain::SpaceId source_space(const domain::ResidencyMap::Piece& piece) {
  const bool on_host = (piece.valid & 1u) != 0;
  const domain::SpaceMask devices = piece.valid & ~domain::SpaceMask{1};
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
  // Launches commit the uploads of their batch before they submit it; once this was held, it is submitted.
  { const MoveGuard submitted({&task.from}); }
  Machine& machine = task.from.machine();
  const std::uint32_t index = device_of_space(machine, space);
  auto source = task.from.native(index);
  if (!source) return source.error();
  auto target = task.to.native(index);
  if (!target) return target.error();
  Batch batch;
  const auto to_offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(range.begin) + task.delta);
  batch.ops.emplace_back(CopyOp{*source, *target, range.begin, to_offset, range.size()});
  BatchGroup group;
  group.submit(*machine.devices[index], std::move(batch));
  if (auto status = group.wait(); !status) return status;
  const std::lock_guard lock(task.to.mutex());
  task.to.residency().written(space, domain::RangeSet(range).shifted(task.delta));
  return {};
}

}  // namespace

Status copy_bytes(Storage& from, std::uint64_t from_offset, Storage& to, std::uint64_t to_offset, std::uint64_t bytes) {
  if (bytes == 0) return {};
  const domain::ByteRange range{from_offset, from_offset + bytes};
  const CopyTask task{from, to, static_cast<std::int64_t>(to_offset) - static_cast<std::int64_t>(from_offset)};
  // Inside one root the ranges may overlap; images have no bytes on devices that we could address.
  if (&from == &to || from.is_image() || to.is_image()) {
    if (auto status = from.gather(range, "copy"); !status) return status;
    if (to.is_image()) {
      if (auto status = to.gather(domain::ByteRange{0, to.bytes()}, "copy"); !status) return status;
      to.host_written(domain::ByteRange{0, to.bytes()});
    }
    return copy_on_host(task, range);
  }
  std::vector<domain::ResidencyMap::Piece> pieces;
  {
    const std::lock_guard lock(from.mutex());
    pieces = from.residency().pieces(range);
  }
  for (const auto& piece : pieces) {
    if (piece.valid == 0) {
      to.forget(domain::RangeSet(piece.range).shifted(task.delta));
      continue;
    }
    const domain::SpaceId space = source_space(piece);
    if (space != domain::kHostSpace) {
      if (copy_on_device(task, piece.range, space)) continue;
      // No room there for the target, perhaps: it is not needed there yet.
      if (Status status = from.gather(piece.range, "copy"); !status) return status;
    }
    if (Status status = copy_on_host(task, piece.range); !status) return status;
  }
  return {};
}

}  // namespace skmd::icd
