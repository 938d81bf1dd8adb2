// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/group_work.h"

#include <array>
#include <optional>

#include "partitioner/evaluator.h"

namespace skmd::domain {
namespace {

// More passes than that through one loop are no count that a launch ends with.
constexpr double kMostPasses = 1e15;

/// Passes through the body, in the mean over the items; nothing if memory decides.
std::optional<double> passes(Evaluator& evaluator, std::uint32_t loop) {
  if (evaluator.launch().traits.loops[loop].backedges == kNoNode) return std::nullopt;
  const Evaluator::Iterations taken = evaluator.iterations(loop);
  const double mean = (static_cast<double>(taken.least) + static_cast<double>(taken.most)) / 2 + 1;
  if (!(mean >= 1) || mean > kMostPasses) return std::nullopt;
  return mean;
}

std::optional<double> bytes_of(Evaluator& evaluator, const Access& access) {
  if (access.count == kNoNode) return access.width;
  Form form = evaluator.value(access.count);
  Interval count{0, 0};
  const bool fits = evaluator.canonicalise(form, evaluator.launch().traits.nodes[access.count].bits, false, count);
  const double mean = (static_cast<double>(count.lo) + static_cast<double>(count.hi)) / 2;
  if (!fits || !(mean >= 0) || mean > kMostPasses) return std::nullopt;
  return mean * access.width;
}

struct Sum {
  std::optional<double> operations = 1.0, bytes = 0.0;  // of a work-item
};

Sum work_of_item(Evaluator& evaluator) {
  Sum sum;
  for (const Access& access : evaluator.launch().traits.accesses) {
    std::optional<double> times = 1.0;
    for (const std::uint32_t loop : access.loops) {
      const auto more = passes(evaluator, loop);
      times = times && more ? std::optional(*times * *more) : std::nullopt;
    }
    const auto bytes = bytes_of(evaluator, access);
    sum.operations = sum.operations && times ? std::optional(*sum.operations + *times) : std::nullopt;
    sum.bytes = sum.bytes && times && bytes ? std::optional(*sum.bytes + *times * *bytes) : std::nullopt;
  }
  return sum;
}

}  // namespace

GroupWork group_work(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments) {
  const Extent3 counts = range.group_counts();
  const double items =
      static_cast<double>(range.local[0]) * static_cast<double>(range.local[1]) * static_cast<double>(range.local[2]);
  Evaluator evaluator({traits, range, arguments});
  GroupWork work;
  constexpr std::array kParts{0.0, 0.5, 1.0};
  bool operations = true, bytes = true;
  for (const double part : kParts) {
    Box box;
    for (unsigned dim = 0; dim < 3; ++dim) {
      if (counts[dim] == 0) return {};
      box.first[dim] = static_cast<std::uint64_t>(part * static_cast<double>(counts[dim] - 1));
      if (box.first[dim] >= counts[dim]) box.first[dim] = counts[dim] - 1;
    }
    ItemSet set;
    set.assign(range, box);
    evaluator.reset(set);
    const Sum sum = work_of_item(evaluator);
    operations = operations && sum.operations.has_value();
    bytes = bytes && sum.bytes.has_value();
    work.operations += items * sum.operations.value_or(0.0) / kParts.size();
    work.bytes += items * sum.bytes.value_or(0.0) / kParts.size();
  }
  return {operations ? work.operations : 0.0, bytes ? work.bytes : 0.0};
}

}  // namespace skmd::domain
