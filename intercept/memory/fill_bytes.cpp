// SPDX-License-Identifier: Apache-2.0
// clEnqueueFillBuffer's data path: bytes are filled where they are, so that nothing is sent to a device only to be
// there.
#include <algorithm>
#include <cstring>
#include <map>

#include "intercept/memory/bytes.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/memory/mover.h"

namespace skmd::icd {

namespace {

using namespace tuning;

struct FillTask {
  Storage& to;
  domain::ByteRange range;
  const std::vector<std::byte>& pattern;
};

domain::SpaceMask discrete_spaces(const Machine& machine) {
  domain::SpaceMask mask = 0;
  for (const auto& device : machine.devices)
    if (device->description().space != domain::kHostSpace) mask |= domain::SpaceMask{1} << device->description().space;
  return mask;
}

/// The spaces to fill a piece in; 0: host memory.
domain::SpaceMask spaces_of(const FillTask& task, const domain::ResidencyMap::Piece& piece) {
  const std::uint64_t width = task.pattern.size();
  const std::uint64_t into = piece.range.begin - task.range.begin;
  // Drivers want offset and size in whole patterns.
  if (into % width != 0 || piece.range.begin % width != 0 || piece.range.size() % width != 0) return 0;
  const bool small = piece.range.size() < kSmallFill;
  if (piece.valid == 0) return small ? 0 : discrete_spaces(task.to.machine());
  const bool on_host = (piece.valid & 1u) != 0;
  return on_host && small ? 0 : piece.valid & ~domain::SpaceMask{1};
}

Status fill_on_host(const FillTask& task, const domain::ByteRange& range) {
  auto host = task.to.host();
  if (!host) return host.error();
  std::vector<std::byte> pattern = task.pattern;
  const auto phase = static_cast<std::ptrdiff_t>((range.begin - task.range.begin) % pattern.size());
  std::rotate(pattern.begin(), pattern.begin() + phase, pattern.end());
  repeat_pattern(*host + range.begin, range.size(), pattern);
  task.to.host_written(range);
  return {};
}

/// The spaces in which all of their fills succeeded.
domain::SpaceMask fill_on_devices(const FillTask& task,
                                  const std::map<domain::SpaceId, std::vector<domain::ByteRange>>& fills) {
  Machine& machine = task.to.machine();
  std::map<domain::SpaceId, BatchGroup> groups;
  for (const auto& [space, ranges] : fills) {
    const std::uint32_t index = device_of_space(machine, space);
    const auto native = task.to.native(index);
    if (!native) continue;  // no room there: it is not needed there yet
    Batch batch;
    for (const domain::ByteRange& range : ranges)
      batch.ops.emplace_back(FillOp{*native, task.pattern, range.begin, range.size()});
    groups[space].submit(*machine.devices[index], std::move(batch));
  }
  domain::SpaceMask done = 0;
  for (auto& [space, group] : groups)
    if (group.wait()) done |= domain::SpaceMask{1} << space;
  return done;
}

/// Valid in the spaces of `mask`, which is not 0, and nowhere else.
void commit(Storage& to, const domain::ByteRange& range, domain::SpaceMask mask) {
  const MutexGuard lock(to.mutex());
  bool first = true;
  for (domain::SpaceId space = 1; space < domain::kMaxSpaces; ++space) {
    if ((mask >> space & 1u) == 0) continue;
    if (first)
      to.residency().written(space, range);
    else
      to.residency().copied(space, range);
    first = false;
  }
}

}  // namespace

void repeat_pattern(std::byte* target, std::uint64_t bytes, const std::vector<std::byte>& pattern) {
  // Doubles what is already there: few large copies instead of many small ones.
  std::uint64_t done = std::min<std::uint64_t>(pattern.size(), bytes);
  std::memcpy(target, pattern.data(), done);
  while (done < bytes) {
    const std::uint64_t more = std::min(done, bytes - done);
    std::memcpy(target + done, target, more);
    done += more;
  }
}

Status fill_bytes(Storage& to, const domain::ByteRange& range, const std::vector<std::byte>& pattern) {
  const FillTask task{to, range, pattern};
  std::vector<domain::ResidencyMap::Piece> pieces;
  {
    const MutexGuard lock(to.mutex());
    pieces = to.residency().pieces(range);
  }
  std::map<domain::SpaceId, std::vector<domain::ByteRange>> fills;
  for (auto& piece : pieces) {
    piece.valid = spaces_of(task, piece) & spaces_at_work(to.machine());  // from here on: where it is to be filled
    for (domain::SpaceId space = 1; space < domain::kMaxSpaces; ++space)
      if ((piece.valid >> space & 1u) != 0) fills[space].push_back(piece.range);
  }
  const domain::SpaceMask done = fill_on_devices(task, fills);
  for (const auto& piece : pieces) {
    if ((piece.valid & done) != 0) {
      commit(to, piece.range, piece.valid & done);
    } else if (Status status = fill_on_host(task, piece.range); !status) {
      return status;
    }
  }
  return {};
}

}  // namespace skmd::icd
