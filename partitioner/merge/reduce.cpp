// SPDX-License-Identifier: Apache-2.0
#include "partitioner/merge/reduce.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace skmd::domain {
namespace {

bool commutes(AtomicClass operation) { return operation != AtomicClass::none && operation != AtomicClass::other; }

bool can_be_combined(const Access& access, std::span<const RootView> views) {
  if (access.kind != AccessKind::atomic || access.atomic_result_used || !commutes(access.atomic)) return false;
  if (access.count != kNoNode || (access.width != 4 && access.width != 8)) return false;
  return access.argument < views.size() && views[access.argument].offset % access.width == 0;
}

/// The same kernel as if it made these accesses only.
KernelTraits with_accesses(const KernelTraits& traits, std::vector<Access> accesses) {
  KernelTraits part;
  part.parameters = traits.parameters;
  part.nodes = traits.nodes;
  part.loops = traits.loops;
  part.accesses = std::move(accesses);
  return part;
}

/// Accesses that are combined in one way.
struct Kind {
  AtomicClass operation;
  std::uint32_t width;
  std::vector<Access> accesses;
};

CommutingBytes& part_of(AtomicFootprint& footprint, AtomicClass operation, std::uint32_t width) {
  for (CommutingBytes& part : footprint.atomics)
    if (part.operation == operation && part.width == width) return part;
  return footprint.atomics.emplace_back(CommutingBytes{operation, width, {}});
}

/// All slices' footprints as one; false if writes that are no atomics overlap or lie anywhere.
bool join_slices(std::span<const std::vector<AtomicFootprint>> slices, std::uint32_t root, AtomicFootprint& all) {
  for (const auto& slice : slices) {
    if (slice[root].write_unknown || all.writes.intersects(slice[root].writes)) return false;
    join(all, slice[root]);
  }
  return true;
}

template <class T>
T combined(AtomicClass operation, T before, T result, T merged) {
  switch (operation) {
    case AtomicClass::add:
      return static_cast<T>(merged + (result - before));
    case AtomicClass::bit_xor:
      return merged ^ result ^ before;
    case AtomicClass::bit_and:
      return merged & result;
    case AtomicClass::bit_or:
      return merged | result;
    case AtomicClass::min_unsigned:
      return std::min(merged, result);
    case AtomicClass::max_unsigned:
      return std::max(merged, result);
    case AtomicClass::min_signed:
      return static_cast<T>(
          std::min(static_cast<std::make_signed_t<T>>(merged), static_cast<std::make_signed_t<T>>(result)));
    case AtomicClass::max_signed:
      return static_cast<T>(
          std::max(static_cast<std::make_signed_t<T>>(merged), static_cast<std::make_signed_t<T>>(result)));
    default:
      return merged;
  }
}

template <class T, AtomicClass operation>
void combine_values(const std::byte* before, const std::byte* result, std::byte* merged, std::size_t bytes) {
  // Loaded and stored through memcpy: the buffers are bytes of any type. The loop has no branch, so it vectorises.
  for (std::size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T old_value;
    T new_value;
    T value;
    std::memcpy(&old_value, before + i, sizeof(T));
    std::memcpy(&new_value, result + i, sizeof(T));
    std::memcpy(&value, merged + i, sizeof(T));
    value = combined(operation, old_value, new_value, value);
    std::memcpy(merged + i, &value, sizeof(T));
  }
}

using Combine = void (*)(const std::byte*, const std::byte*, std::byte*, std::size_t);

template <class T>
Combine combine_for(AtomicClass operation) {
  switch (operation) {
    case AtomicClass::add:
      return combine_values<T, AtomicClass::add>;
    case AtomicClass::bit_xor:
      return combine_values<T, AtomicClass::bit_xor>;
    case AtomicClass::bit_and:
      return combine_values<T, AtomicClass::bit_and>;
    case AtomicClass::bit_or:
      return combine_values<T, AtomicClass::bit_or>;
    case AtomicClass::min_unsigned:
      return combine_values<T, AtomicClass::min_unsigned>;
    case AtomicClass::max_unsigned:
      return combine_values<T, AtomicClass::max_unsigned>;
    case AtomicClass::min_signed:
      return combine_values<T, AtomicClass::min_signed>;
    case AtomicClass::max_signed:
      return combine_values<T, AtomicClass::max_signed>;
    default:
      return nullptr;
  }
}

}  // namespace

std::vector<AtomicFootprint> evaluate_atomics(const KernelTraits& traits, const NdRange& range, const GroupSpan& span,
                                              std::span<const ArgumentView> arguments, std::span<const RootView> views,
                                              std::uint32_t roots) {
  std::vector<Access> others;
  std::vector<Kind> kinds;
  for (const Access& access : traits.accesses) {
    if (!can_be_combined(access, views)) {
      others.push_back(access);
      continue;
    }
    const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
      return kind.operation == access.atomic && kind.width == access.width;
    });
    Kind& kind = known != kinds.end() ? *known : kinds.emplace_back(Kind{access.atomic, access.width, {}});
    kind.accesses.push_back(access);
  }
  const auto touched = [&](std::vector<Access> accesses) {
    const auto of_arguments = evaluate(with_accesses(traits, std::move(accesses)), range, span, arguments);
    return on_roots(of_arguments, views, roots);
  };
  std::vector<AtomicFootprint> footprints(roots);
  const auto rest = touched(std::move(others));
  for (std::uint32_t root = 0; root < roots; ++root)
    footprints[root] = {{}, rest[root].reads, rest[root].may_write, rest[root].write_unknown};
  for (Kind& kind : kinds) {
    const auto atomics = touched(std::move(kind.accesses));
    for (std::uint32_t root = 0; root < roots; ++root)
      if (!atomics[root].may_write.empty())
        footprints[root].atomics.push_back({kind.operation, kind.width, atomics[root].may_write});
  }
  return footprints;
}

void join(AtomicFootprint& into, const AtomicFootprint& other) {
  for (const CommutingBytes& part : other.atomics) part_of(into, part.operation, part.width).bytes.add(part.bytes);
  into.reads.add(other.reads);
  into.writes.add(other.writes);
  into.write_unknown = into.write_unknown || other.write_unknown;
}

std::vector<CommutingBytes> combinable(std::span<const std::vector<AtomicFootprint>> slices, std::uint32_t root) {
  AtomicFootprint all;
  if (!join_slices(slices, root, all)) return {};
  RangeSet taken = all.reads;
  taken.add(all.writes);
  for (const CommutingBytes& part : all.atomics) {
    if (taken.intersects(part.bytes)) return {};
    taken.add(part.bytes);
  }
  return std::move(all.atomics);
}

void merge_commuting(const std::byte* before, const std::byte* result, std::byte* merged, const RangeSet& ranges,
                     AtomicClass operation, std::uint32_t width) {
  const Combine combine = width == 8 ? combine_for<std::uint64_t>(operation) : combine_for<std::uint32_t>(operation);
  if (combine == nullptr) return;
  for (const ByteRange& range : ranges.ranges()) {
    // An atomic can only have reached values that are completely inside.
    const std::uint64_t begin = (range.begin + width - 1) / width * width;
    const std::uint64_t end = range.end / width * width;
    if (begin < end) combine(before + begin, result + begin, merged + begin, end - begin);
  }
}

}  // namespace skmd::domain
