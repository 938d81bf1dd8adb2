// SPDX-License-Identifier: Apache-2.0
// Reads and writes between the application's memory and buffers, past the shadow where the bytes are on a device, or
// are about to be.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>
#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/host_code.h"
#include "intercept/memory/bytes.h"
#include "intercept/memory/fetch.h"
#include "intercept/memory/link_rates.h"
#include "intercept/memory/memory_constants.h"
#include "intercept/memory/mover.h"

namespace skmd::icd {

namespace {

using namespace tuning;

/// copy_host(), whose rate is learned. Not of memory that is touched for the first time.
void copy_timed(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  const std::uint64_t begin = host_now();
  copy_host(to, from, bytes);
  LinkRates::get().learn_host(bytes, host_now() - begin);
}

/// A device that has the piece, where host memory has not.
std::optional<std::uint32_t> device_with(const Machine& machine, const domain::ResidencyMap::Piece& piece) {
  if (piece.valid == 0 || (piece.valid & 1u) != 0) return std::nullopt;
  return device_of_space(machine, static_cast<domain::SpaceId>(__builtin_ctzll(piece.valid)));
}

Status copy_from_shadow(Storage& from, const domain::ByteRange& range, std::byte* to) {
  auto host = from.host();
  if (!host) return host.error();
  copy_timed(to, *host + range.begin, range.size());
  return {};
}

/// Fetches all of them from devices. False on any failure: the caller then reads by way of the shadow.
bool fetch_directly(Storage& from, const std::vector<Fetch>& fetches) {
  Machine& machine = from.machine();
  // Launches commit the uploads of a batch before they submit it, with this mutex held: once it was free, the batch is
  // submitted.
  { const MoveGuard submitted({&from}); }
  if (!fetch(machine, fetches, "read")) return false;
  for (const Fetch& one : fetches)
    if (!still_valid(machine, from, one.device, one.ranges)) return false;
  return true;
}

/// A write to one device.
struct Part {
  std::uint32_t device = 0;
  domain::RangeSet ranges;
  Batch batch = {};
  TransferReport report = {};
  std::uint64_t ended = 0;  // on the host's steady clock, in nanoseconds
};

/// Where the bytes of a write go.
struct Targets {
  std::vector<Part> parts;     // to the devices that are likely to use them next
  domain::RangeSet also_here;  // what is likely to be used in host memory, too
};

Targets targets_of(Storage& to, const domain::ByteRange& range, const std::byte* from) {
  Targets targets;
  if (const auto device = direct_target(to, from, range.size())) {
    targets.parts.push_back({*device, range});
  } else if (!to.borrows_host() && !to.is_image() && !to.is_host(from, range.size())) {
    for (const RootUsage::Share& share : to.usage().likely_shares()) {
      auto ranges = share.ranges.intersection(range);
      if (to.machine().devices[share.device]->description().space == domain::kHostSpace)
        targets.also_here.add(ranges);
      else if (!ranges.empty())
        targets.parts.push_back({share.device, std::move(ranges)});
    }
  }
  return targets;
}

/// Reports what was sent from `begin` (host clock, nanoseconds) on: rates to LinkRates, transfers to the observer,
/// timed by the host's clock where the device was not asked for times.
void tell(const Machine& machine, std::vector<Part>& parts, std::uint64_t begin) {
  for (Part& part : parts) {
    if (part.ended <= begin) continue;
    LinkRates& rates = LinkRates::get();
    // A short write's time is in part that of threads. But the first transfer may have been far slower than the next,
    // and a device that is given up for it has no other.
    if (part.report.bytes_to >= kLeastTimedWrite)
      rates.learn_to(part.device, part.report.bytes_to, part.ended - begin);
    else if (part.report.bytes_to >= kLeastBoundingWrite)
      rates.learn_to_at_least(part.device, part.report.bytes_to, part.ended - begin);
    if (part.report.end == 0) {
      part.report.start = begin;
      part.report.end = part.ended;
    }
  }
  try {
    for (const Part& part : parts) machine.observer->transfer(part.report);
  } catch (const std::bad_alloc&) {  // only the report is lost
  }
}

/// Sends the application's bytes to all devices at once; `from` is the address of the root's byte 0. False if a device
/// failed. Residency is left alone. Blocks.
bool write_parts(Storage& to, std::vector<Part>& parts, const std::byte* from) {
  Machine& machine = to.machine();
  for (Part& part : parts) {
    (void)machine.memory.hold(part.device, to);
    auto native = to.native(part.device);
    if (!native) return false;
    part.batch.want_times = machine.observer->wants_times();
    append_writes(to, *native, from, part.ranges, part.batch.ops,
                  locked_pages(machine, part.device, from, part.ranges));
    part.report = {part.device, part.ranges.bytes(), 0, 0, 0, "write"};
  }
  const std::uint64_t begin = host_now();
  BatchGroup group;
  std::atomic<bool> submitted{true};
  const auto submit = [&](std::size_t i) {
    try {
      group.submit(*machine.devices[parts[i].device], std::move(parts[i].batch),
                   [&part = parts[i]](const BatchResult& result) {
                     part.ended = host_now();
                     if (result.times.empty()) return;
                     part.report.start = result.times.front().start;
                     part.report.end = result.times.back().end;
                   });
    } catch (const std::bad_alloc&) {  // it was not submitted
      submitted = false;
    }
  };
  host_threads(submit, parts.size());
  if (!group.wait() || !submitted) return false;
  tell(machine, parts, begin);
  return true;
}

/// Commits a write: each byte is valid on the devices that it was sent to, and nowhere else.
void commit(Storage& to, const std::vector<Part>& parts) {
  const MutexGuard lock(to.mutex());
  domain::RangeSet all;
  for (const Part& part : parts) all.add(part.ranges);
  to.residency().written(domain::kHostSpace, all);
  for (const Part& part : parts)
    to.residency().copied(to.machine().devices[part.device]->description().space, part.ranges);
  to.residency().withdrawn(domain::kHostSpace, all);
}

Status copy_to_shadow(Storage& to, const domain::RangeSet& ranges, const std::byte* from) {
  auto root = to.host();
  if (!root) return root.error();
  const auto copy = to.host_was_touched() ? copy_timed : copy_host;
  const std::uint64_t bytes = ranges.bytes();
  if (ranges.ranges().size() > 1 && bytes >= kLeastCopied) {  // rows, of which one thread would copy each short one
    const std::uint64_t begin = host_now();
    for_each_piece(ranges, 1, [root = *root, from](const domain::ByteRange& piece) {
      std::memcpy(root + piece.begin, from + piece.begin, piece.size());
    });
    if (to.host_was_touched()) LinkRates::get().learn_host(bytes, host_now() - begin);
    return {};
  }
  for (const domain::ByteRange& range : ranges.ranges()) copy(*root + range.begin, from + range.begin, range.size());
  return {};
}

Status write_to_shadow(Storage& to, const domain::RangeSet& ranges, const std::byte* from) {
  if (Status status = copy_to_shadow(to, ranges, from); !status) return status;
  to.host_written(ranges);
  return {};
}

/// What was written to devices is put into the shadow as well.
void copy_here(Storage& to, const domain::RangeSet& ranges, const std::byte* from) {
  if (ranges.empty() || !copy_to_shadow(to, ranges, from))
    return;  // a command that needs them in host memory fetches them
  to.note_touched(ranges);
  const MutexGuard lock(to.mutex());
  to.residency().copied(domain::kHostSpace, ranges);
}

/// Before the first launch that uses a buffer: the device that a launch of an unknown kernel goes to, if that is a GPU
/// with a context. Without one nothing is sent: the process may never use the GPU.
std::optional<std::uint32_t> first_user(const Machine& machine) {
  if (!machine.last_user.is_unused() || machine.settings.policy.mode != domain::PartitionMode::automatic)
    return std::nullopt;
  const std::uint32_t anchor = acting_anchor(machine);
  const Device& device = *machine.devices[anchor];
  if (device.description().kind != DeviceKind::gpu || !device.description().discrete || !device.has_native_context())
    return std::nullopt;
  return anchor;
}

}  // namespace

std::optional<std::uint32_t> direct_target(Storage& to, const std::byte* from, std::uint64_t bytes) {
  if (bytes < kLeastDirect || to.borrows_host() || to.is_image() || to.is_host(from, bytes)) return std::nullopt;
  auto device = to.usage().likely_user();
  if (!device && bytes >= kLeastFirst) device = first_user(to.machine());
  if (!device || !takes_work(to.machine(), *device)) return std::nullopt;
  return device;
}

Status read_bytes(Storage& from, std::uint64_t offset, std::byte* to, std::uint64_t bytes) {
  const domain::ByteRange range{offset, offset + bytes};
  from.usage().read_back(bytes, true);
  // Where several devices use a buffer, what is read stays in host memory for those that use that.
  const std::uint64_t least = from.usage().likely_user() ? kLeastDirect : kMaxShadowed + 1;
  if (bytes >= least && !from.is_host(to, bytes)) {
    std::vector<domain::ResidencyMap::Piece> pieces;
    {
      const MutexGuard lock(from.mutex());
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
  // Applications write parameters again that are still what they were.
  if (bytes < kLeastDirect && to.has_already(range, from)) return {};
  to.usage().rewritten(bytes);
  domain::RangeSet left(range);
  if (bytes > kMaxShadowed) {
    Targets targets = targets_of(to, range, from);
    if (!targets.parts.empty() && write_parts(to, targets.parts, from - offset)) {
      commit(to, targets.parts);
      for (const Part& part : targets.parts) left.remove(part.ranges);
      copy_here(to, targets.also_here.difference(left), from - offset);
    }
  }
  return left.empty() ? Status() : write_to_shadow(to, left, from - offset);
}

}  // namespace skmd::icd
