// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/group_work.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "partitioner/footprint/conditions.h"
#include "partitioner/footprint/footprint_constants.h"
#include "partitioner/model/fit_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

using Truth = Evaluator::Truth;

bool is_known(const Interval& values) { return static_cast<double>(values.hi - values.lo) <= kWidestGuess; }

double middle(const Interval& values) { return (static_cast<double>(values.lo) + static_cast<double>(values.hi)) / 2; }

/// The unsigned values of a node over the evaluator's items.
Interval values_of(Evaluator& evaluator, NodeId node) {
  Form form = evaluator.value(node);
  Interval values;
  evaluator.canonicalise(form, evaluator.launch().traits.nodes[node].bits, false, values);
  return values;
}

double scaled_passes(Wide ratio, unsigned doublings) {
  return 1 + (ratio < 1 ? 0 : std::floor(std::log2(static_cast<double>(ratio)) / doublings));
}

/// Mean number of passes through the body over the items; empty if neither ids nor arguments bound it.
std::optional<double> passes(Evaluator& evaluator, std::uint32_t index) {
  const Loop& loop = evaluator.launch().traits.loops[index];
  if (loop.ratio != kNoNode) {
    const Interval ratio = values_of(evaluator, loop.ratio);
    if (!is_known(ratio)) return std::nullopt;
    return (scaled_passes(ratio.lo, loop.doublings) + scaled_passes(ratio.hi, loop.doublings)) / 2;
  }
  if (loop.backedges == kNoNode) return std::nullopt;
  const Evaluator::Iterations taken = evaluator.iterations(index);
  const Interval values{taken.least, taken.most};
  const double mean = middle(values) + 1;
  if (!is_known(values) || mean > (loop.exact ? kMaxPasses : kWidestGuess)) return std::nullopt;
  // Conditions on the iteration leave only some of the passes.
  const Interval left = evaluator.items().iteration(index);
  const double last = std::min(mean - 1, static_cast<double>(left.hi));
  return std::max(0.0, last - static_cast<double>(left.lo) + 1);
}

std::optional<double> bytes_of(Evaluator& evaluator, const Access& access) {
  // Accesses to images are not described completely: texels and loops are missing.
  if (evaluator.launch().traits.parameters[access.argument].kind == ParameterKind::image) return std::nullopt;
  if (access.count == kNoNode) return access.width;
  const Interval count = values_of(evaluator, access.count);
  if (!is_known(count) || middle(count) > kMaxPasses) return std::nullopt;
  return middle(count) * access.width;
}

/// The part of a group's items that pass the conditions.
double share(const ItemSet& items, const ItemSet& left) {
  double share = 1;
  for (unsigned d = 0; d < 3; ++d) {
    const auto count = static_cast<double>(items.position[d].count());
    const auto some = std::min(left.position[d].count(), left.local[d].count());
    share *= std::clamp(static_cast<double>(some) / count, 0.0, 1.0);
  }
  return share;
}

/// Sums over the items of one group.
class Group {
 public:
  Group(const LaunchView& launch, const Box& box) : over_all_(launch), over_part_(launch) {
    all_.assign(launch.range, box);
    over_all_.reset(all_);
  }

  /// Executions by an item of what is in `loops` and under `guards`, in the mean, times `each` of them.
  template <class Each>
  std::optional<double> times(std::span<const Guard> guards, std::span<const std::uint32_t> loops, Each each) {
    Evaluator* evaluator = &over_all_;
    Truth truth = apply_guards(over_all_, guards, narrowed_);
    for (int i = 0; i < kMaxNarrowings && truth == Truth::maybe && narrowed_.smaller; ++i) {
      over_part_.reset(narrowed_.items);
      evaluator = &over_part_;
      truth = apply_guards(over_part_, guards, narrowed_);
    }
    if (truth == Truth::never) return 0.0;
    std::optional<double> result = each(*evaluator);
    if (result) *result *= share(all_, evaluator->items());
    for (const std::uint32_t loop : loops) {
      const auto more = result ? passes(*evaluator, loop) : std::nullopt;
      result = more ? std::optional(*result * *more) : std::nullopt;
    }
    return result;
  }

 private:
  ItemSet all_;
  Evaluator over_all_, over_part_;
  Narrowed narrowed_{};
};

struct Sum {
  std::optional<double> operations = 0.0, bytes = 0.0;  // of a work-item
};

void add(std::optional<double>& sum, std::optional<double> more) {
  sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
}

Sum work_of_item(const LaunchView& launch, const Box& box) {
  Group group(launch, box);
  Sum sum;
  for (const OperationCount& count : launch.traits.operations) {
    const auto operations = [&](Evaluator&) { return std::optional<double>(count.operations); };
    add(sum.operations, group.times(count.guards, count.loops, operations));
  }
  for (const Access& access : launch.traits.accesses) {
    const auto bytes = [&](Evaluator& evaluator) { return bytes_of(evaluator, access); };
    add(sum.bytes, group.times(access.guards, access.loops, bytes));
  }
  return sum;
}

}  // namespace

GroupWork group_work(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments) {
  GroupWork work;
  work.data_decides = (traits.facts & kFactDataDecidesWork) != 0;
  if (traits.operations.empty()) return work;
  const Extent3 counts = range.group_counts();
  const double items =
      static_cast<double>(range.local[0]) * static_cast<double>(range.local[1]) * static_cast<double>(range.local[2]);
  Sum all;
  for (const double part : kCountedAt) {
    Box box;
    for (unsigned dim = 0; dim < 3; ++dim) {
      if (counts[dim] == 0) return work;
      const auto place = std::round(part * static_cast<double>(counts[dim] - 1));
      box.first[dim] = std::min(static_cast<std::uint64_t>(place), counts[dim] - 1);
    }
    const Sum sum = work_of_item({traits, range, arguments}, box);
    add(all.operations, sum.operations);
    add(all.bytes, sum.bytes);
  }
  work.operations = items * all.operations.value_or(0.0) / kCountedAt.size();
  work.bytes = items * all.bytes.value_or(0.0) / kCountedAt.size();
  return work;
}

}  // namespace skmd::domain
