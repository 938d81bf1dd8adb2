// SPDX-License-Identifier: Apache-2.0
#include "partitioner/merge/merge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace skmd::domain {
namespace {

constexpr std::array<std::string_view, 5> kRungNames = {"none", "disjoint", "kernel", "diff", "reduce"};

struct FactReason {
  Fact fact;
  NotSplit reason;
};

/// In the order in which a launch reports them. Of images only these two uses forbid a split: others have footprints in
/// bytes, like buffers.
constexpr FactReason kFactReasons[] = {
    {kFactSpinning, NotSplit::spinning},
    {kFactDeviceScopeSync, NotSplit::device_scope_sync},
    {kFactAtomicResultUsed, NotSplit::atomic_result_used},
    {kFactPointerInMemory, NotSplit::pointer_in_memory},
    {kFactMutableProgramScope, NotSplit::mutable_program_scope},
    {kFactPrintf, NotSplit::printf},
    {kFactDeviceSpecificCode, NotSplit::device_specific_code},
    {kFactImageWritten, NotSplit::image_written},
    {kFactImageRead, NotSplit::image_read},
};

constexpr std::uint8_t kMaxZeros = 6;  // factors up to 64 bytes are told apart

/// How many trailing zero bits `n` has for all values of ids, scalars and memory (at most kMaxZeros). `zeros` holds
/// those of the nodes before it. Only operations that keep factors are followed; everything else counts as odd.
std::uint8_t trailing_zeros(const std::vector<Node>& nodes, const std::vector<std::uint8_t>& zeros, const Node& n) {
  const auto capped = [](int value) { return static_cast<std::uint8_t>(std::min<int>(value, kMaxZeros)); };
  switch (n.op) {
    case Op::constant:
      return n.value == 0 ? kMaxZeros : capped(std::countr_zero(static_cast<std::uint64_t>(n.value)));
    case Op::add:
    case Op::sub:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::smin:
    case Op::smax:
    case Op::umin:
    case Op::umax:
    case Op::either:
      return std::min(zeros[n.a], zeros[n.b]);
    case Op::select:
      return std::min(zeros[n.b], zeros[n.c]);
    case Op::bit_and:
      return std::max(zeros[n.a], zeros[n.b]);
    case Op::mul:
      return capped(zeros[n.a] + zeros[n.b]);
    case Op::shl: {
      const Node& by = nodes[n.b];
      const bool known = by.op == Op::constant && by.value >= 0 && by.value < 64;
      return known ? capped(zeros[n.a] + static_cast<int>(by.value)) : zeros[n.a];
    }
    case Op::zext:
    case Op::sext:
    case Op::trunc:
      return zeros[n.a];
    default:
      return 0;
  }
}

/// The largest power of two (at most 64) that surely divides node `id`.
std::uint32_t known_factor(const std::vector<Node>& nodes, NodeId id) {
  if (id >= nodes.size()) return 1;
  std::vector<std::uint8_t> zeros;
  zeros.reserve(id + 1);
  for (NodeId i = 0; i <= id; ++i) zeros.push_back(trailing_zeros(nodes, zeros, nodes[i]));
  return 1u << zeros[id];
}

/// Whether every store of `access` consists of whole, aligned elements. OpenCL C aligns every type but packed
/// structures; those have element 0 or an offset that shows it.
bool aligned(const KernelTraits& traits, const Access& access, const RootView& view, std::uint32_t element) {
  if (access.width % element != 0 || view.offset % element != 0) return false;
  if (access.offset == kNoNode || (element & (element - 1)) != 0) return access.offset == kNoNode;
  return known_factor(traits.nodes, access.offset) % element == 0;
}

/// The unit, bytes, by which results on `root` can be merged by difference; 0: there is none.
std::uint32_t difference_element(const KernelTraits& traits, std::span<const RootView> views, std::uint32_t root) {
  std::uint32_t element = 0;
  for (const Access& access : traits.accesses) {
    if (access.kind == AccessKind::read || access.argument >= views.size()) continue;
    const RootView& view = views[access.argument];
    if (view.root != root) continue;
    if (access.kind == AccessKind::atomic || access.element == 0) return 0;
    if (element != 0 && element != access.element) return 0;
    element = access.element;
    if (!aligned(traits, access, view, element)) return 0;
  }
  return element;
}

bool disjoint_writes(std::span<const std::vector<RootFootprint>> slices, std::uint32_t root) {
  if (slices.size() == 1) return true;  // all in one memory
  RangeSet joined;
  for (const auto& slice : slices) {
    const RootFootprint& footprint = slice[root];
    if (footprint.write_unknown || joined.intersects(footprint.may_write)) return false;
    joined.add(footprint.may_write);
  }
  return true;
}

bool written(std::span<const std::vector<RootFootprint>> slices, std::uint32_t root) {
  return std::any_of(slices.begin(), slices.end(),
                     [&](const auto& slice) { return slice[root].write_unknown || !slice[root].may_write.empty(); });
}

template <class T>
void merge_words(const std::byte* before, const std::byte* result, std::byte* merged, std::size_t bytes) {
  // Loaded and stored through memcpy: the buffers are bytes of any type. The loop has no branch, so it vectorises.
  for (std::size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T old_value;
    T new_value;
    T kept;
    std::memcpy(&old_value, before + i, sizeof(T));
    std::memcpy(&new_value, result + i, sizeof(T));
    std::memcpy(&kept, merged + i, sizeof(T));
    kept = old_value != new_value ? new_value : kept;
    std::memcpy(merged + i, &kept, sizeof(T));
  }
}

void merge_elements(const std::byte* before, const std::byte* result, std::byte* merged, std::size_t bytes,
                    std::size_t element) {
  for (std::size_t i = 0; i + element <= bytes; i += element) {
    if (std::memcmp(before + i, result + i, element) != 0) std::memcpy(merged + i, result + i, element);
  }
}

/// True if the kernel's merge function repeats the decisions of its work-items: no byte that it loads is written by the
/// launch.
bool can_replay(const KernelTraits& traits, std::span<const std::vector<RootFootprint>> slices,
                std::span<const RootView> views) {
  if (!traits.merge_function) return false;
  return std::none_of(traits.merge_loads.begin(), traits.merge_loads.end(), [&](std::uint32_t argument) {
    return argument >= views.size() || (views[argument].root != kNoRoot && written(slices, views[argument].root));
  });
}

/// Merge functions replay plain stores only.
bool plain_stores(const KernelTraits& traits, std::span<const RootView> views, std::uint32_t root) {
  return std::none_of(traits.accesses.begin(), traits.accesses.end(), [&](const Access& access) {
    return access.kind == AccessKind::atomic && access.argument < views.size() && views[access.argument].root == root;
  });
}

}  // namespace

std::string_view name(Rung rung) {
  const auto index = static_cast<std::size_t>(rung);
  return index < kRungNames.size() ? kRungNames[index] : "none";
}

RungSet RungSet::of(std::span<const Rung> rungs) {
  RungSet set;
  set.bits_ = 0;
  for (const Rung rung : rungs) set.bits_ |= static_cast<std::uint8_t>(1u << static_cast<unsigned>(rung));
  return set;
}

RungSet RungSet::without(Rung rung) const {
  RungSet set = *this;
  set.bits_ &= static_cast<std::uint8_t>(~(1u << static_cast<unsigned>(rung)));
  return set;
}

std::optional<NotSplit> forbids_split(const KernelTraits& traits, bool like_devices) {
  for (const FactReason& entry : kFactReasons) {
    if ((traits.facts & entry.fact) != 0) return entry.reason;
  }
  if (!like_devices && (traits.facts & kFactFloatDecidesAddress) != 0) return NotSplit::float_decides_address;
  return std::nullopt;
}

MergeDecision decide_merge(const KernelTraits& traits, std::span<const std::vector<RootFootprint>> slices,
                           std::span<const RootView> views, std::uint32_t roots, RungSet allowed,
                           std::span<const std::vector<AtomicFootprint>> atomics) {
  MergeDecision decision;
  decision.per_root.assign(roots, Rung::none);
  decision.element.assign(roots, 0);
  decision.commuting.resize(roots);
  decision.joined.resize(roots);
  const bool replay = allowed.contains(Rung::kernel) && can_replay(traits, slices, views);
  for (std::uint32_t root = 0; root < roots; ++root) {
    if (!written(slices, root)) continue;
    if (allowed.contains(Rung::disjoint) && disjoint_writes(slices, root)) {
      decision.per_root[root] = Rung::disjoint;
      continue;
    }
    // The difference reads memory in order, while the replay costs time per store: docs/results/merge.md.
    const std::uint32_t element = allowed.contains(Rung::diff) ? difference_element(traits, views, root) : 0;
    const bool replayed = element == 0 && replay && plain_stores(traits, views, root);
    if (replayed || element != 0) {
      decision.per_root[root] = replayed ? Rung::kernel : Rung::diff;
      decision.element[root] = element;
      for (const auto& slice : slices) decision.joined[root].add(slice[root].may_write);
      continue;
    }
    if (allowed.contains(Rung::reduce)) decision.commuting[root] = combinable(atomics, root);
    if (decision.commuting[root].empty()) {
      decision.refused = NotSplit::unmergeable;
      continue;
    }
    decision.per_root[root] = Rung::reduce;
    for (const CommutingBytes& part : decision.commuting[root]) decision.joined[root].add(part.bytes);
  }
  return decision;
}

double merge_seconds(const MergeDecision& merge, std::span<const std::vector<RootFootprint>> slices,
                     const MergeCosts& costs) {
  double seconds = 0.0;
  for (std::size_t root = 0; root < merge.per_root.size(); ++root) {
    const Rung rung = merge.per_root[root];
    if (rung == Rung::none || rung == Rung::disjoint || slices.empty()) continue;
    const MergeCost& cost = rung == Rung::kernel ? costs.kernel : rung == Rung::diff ? costs.diff : costs.reduce;
    const RangeSet& joined = merge.joined[root];
    seconds += cost.per_joined * static_cast<double>(joined.bytes());
    for (const auto& slice : slices)
      seconds += cost.per_stored * static_cast<double>(slice[root].may_write.intersection(joined).bytes());
  }
  return seconds;
}

void merge_difference(const std::byte* before, const std::byte* result, std::byte* merged, const RangeSet& ranges,
                      std::uint32_t element) {
  for (const ByteRange& range : ranges.ranges()) {
    const std::byte* old_bytes = before + range.begin;
    const std::byte* new_bytes = result + range.begin;
    std::byte* out = merged + range.begin;
    switch (element) {
      case 1:
        merge_words<std::uint8_t>(old_bytes, new_bytes, out, range.size());
        break;
      case 2:
        merge_words<std::uint16_t>(old_bytes, new_bytes, out, range.size());
        break;
      case 4:
        merge_words<std::uint32_t>(old_bytes, new_bytes, out, range.size());
        break;
      case 8:
        merge_words<std::uint64_t>(old_bytes, new_bytes, out, range.size());
        break;
      default:
        merge_elements(old_bytes, new_bytes, out, range.size(), element);
        break;
    }
  }
}

}  // namespace skmd::domain
