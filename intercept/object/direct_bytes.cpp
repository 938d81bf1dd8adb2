// SPDX-License-Identifier: Apache-2.0
// Reads and writes between the application's memory and buffers, past the shadow where the bytes are on a device, or
// are about to be.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "intercept/backend/host_code.h"
#include "intercept/object/fetch.h"
#include "intercept/object/mover.h"

namespace skmd::icd {

namespace {

/// A write of fewer bytes costs less in the shadow than a command of its own, and fewer that are read may stay there
/// for the next read.
constexpr std::uint64_t kLeastDirect = std::uint64_t{32} << 10;
/// write_bytes() is also called where no device may be waited for, with up to so many bytes. What is read of a buffer
/// that several devices use is copied twice up to this size.
constexpr std::uint64_t kMostShadowed = std::uint64_t{1} << 20;

/// A device that has the piece, where host memory has not.
std::optional<std::uint32_t> device_with(const Machine& machine, const domain::ResidencyMap::Piece& piece) {
  if (piece.valid == 0 || (piece.valid & 1u) != 0) return std::nullopt;
  return device_of_space(machine, static_cast<domain::SpaceId>(__builtin_ctzll(piece.valid)));
}

Status copy_from_shadow(Storage& from, const domain::ByteRange& range, std::byte* to) {
  auto host = from.host();
  if (!host) return host.error();
  copy_host(to, *host + range.begin, range.size());
  return {};
}

/// All of them from devices; what went wrong does not matter: there is another way.
bool fetch_directly(Storage& from, const std::vector<Fetch>& fetches) {
  Machine& machine = from.machine();
  // Launches commit the uploads of their batch before they submit it; once this was held, it is submitted.
  { const MoveGuard submitted({&from}); }
  if (!fetch(machine, fetches, "read")) return false;
  for (const Fetch& one : fetches)
    if (!still_valid(machine, from, one.device, one.ranges)) return false;
  return true;
}

/// On `device`, from where the application has the bytes; false if that failed, and then nobody has them.
bool write_directly(Storage& to, std::uint32_t device, const domain::ByteRange& range, const std::byte* from) {
  Machine& machine = to.machine();
  auto native = to.native(device);
  if (!native) return false;
  Batch batch;
  batch.want_times = machine.observer->wants_times();
  batch.ops.emplace_back(WriteOp{*native, from - range.begin, {range.begin, range.size(), range.size(), 1}});
  TransferReport report{device, range.size(), 0, 0, 0, "write"};
  BatchGroup group;
  group.submit(*machine.devices[device], std::move(batch), [&report](const BatchResult& result) {
    if (result.times.empty()) return;
    report.start = result.times.front().start;
    report.end = result.times.back().end;
  });
  if (!group.wait()) return false;
  try {
    machine.observer->transfer(report);
  } catch (const std::bad_alloc&) {  // only the books miss something
  }
  return true;
}

}  // namespace

std::optional<std::uint32_t> direct_target(Storage& to, const std::byte* from, std::uint64_t bytes) {
  if (bytes < kLeastDirect || to.borrows_host() || to.is_image() || to.is_host(from, bytes)) return std::nullopt;
  const auto device = to.likely_user();
  if (!device || to.machine().devices[*device]->health()->aside()) return std::nullopt;
  return device;
}

Status read_bytes(Storage& from, std::uint64_t offset, std::byte* to, std::uint64_t bytes) {
  const domain::ByteRange range{offset, offset + bytes};
  // Where several devices use a buffer, what is read stays in host memory for those that use that.
  const std::uint64_t least = from.likely_user() ? kLeastDirect : kMostShadowed + 1;
  if (bytes >= least && !from.is_host(to, bytes)) {
    std::vector<domain::ResidencyMap::Piece> pieces;
    {
      const std::lock_guard lock(from.mutex());
      from.leave_lost_copies();
      pieces = from.residency().pieces(range);
    }
    std::vector<Fetch> fetches;
    domain::RangeSet here(range);
    for (const auto& piece : pieces) {
      const auto device = device_with(from.machine(), piece);
      if (!device) continue;
      here.remove(piece.range);
      auto found =
          std::find_if(fetches.begin(), fetches.end(), [&](const Fetch& one) { return one.device == *device; });
      if (found == fetches.end()) found = fetches.insert(found, {&from, *device, to - offset, {}});
      found->ranges.add(piece.range);
    }
    if (fetches.empty() || fetch_directly(from, fetches)) {
      for (const domain::ByteRange& part : here.ranges())
        if (Status status = copy_from_shadow(from, part, to + (part.begin - offset)); !status) return status;
      return {};
    }
  }
  if (Status status = from.gather(range, "read"); !status) return status;
  return copy_from_shadow(from, range, to);
}

Status write_bytes(Storage& to, std::uint64_t offset, const std::byte* from, std::uint64_t bytes) {
  const domain::ByteRange range{offset, offset + bytes};
  const auto device = bytes > kMostShadowed ? direct_target(to, from, bytes) : std::nullopt;
  if (device && write_directly(to, *device, range, from)) {
    const domain::SpaceId space = to.machine().devices[*device]->description().space;
    const std::lock_guard lock(to.mutex());
    to.residency().written(space, range);
    return {};
  }
  auto root = to.host();
  if (!root) return root.error();
  copy_host(*root + offset, from, bytes);
  to.host_written(range);
  return {};
}

}  // namespace skmd::icd
