// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint.h"

#include <algorithm>
#include <optional>

#include "partitioner/conditions.h"
#include "partitioner/evaluator.h"
#include "partitioner/region.h"

namespace skmd::domain {
namespace {

using Truth = Evaluator::Truth;

constexpr int kMostNarrowings = 4;  // guards bound each other's variables; what is left after that is over-estimated
constexpr std::size_t kMostRanges = 4 * kMostRows;

/// An access in front of the work-items for which its guards hold.
struct Setting {
  Evaluator& evaluator;
  const Narrowed& narrowed;
  Truth guards;
};

/// Region of an access: `may` covers all items, `must` (if any) only items that surely run.
struct Shape {
  Region may;
  std::optional<Region> must;
  bool same = false;  // must and may have the same variables over the same intervals
};

/// Adds the variables of dimension d. The items of a dimension are a product of groups and local ids, or all positions
/// of an interval, or neither; `must` is dropped where it cannot be told which items there are.
void add_dimension(const Form& offset, const ItemSet& items, unsigned d, Shape& shape) {
  const Wide by_group = offset.factor(group_var(d));
  const Wide by_local = offset.factor(local_var(d));
  const Wide size = items.local_size[d];
  const bool product = items.is_product(d);
  if (!product && !items.is_dense(d)) shape.must.reset();
  if (by_group != 0 && by_group == by_local * size && (!product || items.is_dense(d))) {
    shape.may.push(by_local, items.position[d]);
    if (shape.must) shape.must->push(by_local, items.position[d]);
    return;
  }
  shape.may.push(by_group, items.group[d]);
  shape.may.push(by_local, items.local[d]);
  if (!shape.must) return;
  shape.must->push(by_group, items.group[d]);
  if (by_local == 0) return;
  shape.must->push(by_local, items.local[d]);
  if (product) return;
  // Only whole groups take part with all their local ids.
  const Interval whole{ceil_div(items.position[d].lo, size), floor_div(items.position[d].hi + 1, size) - 1};
  if (whole.empty()) {
    shape.must.reset();
    return;
  }
  shape.same = false;
  if (by_group != 0) shape.must->dims[shape.must->count - 2].values = whole;
}

/// Adds iterations and derived variables.
void add_other_variables(const Form& offset, const Access& access, Evaluator& evaluator, Shape& shape) {
  for (const Term& term : offset) {
    if (term.var < kFirstLoopVar) continue;
    const Interval may = evaluator.var_range(term.var);
    shape.may.push(term.factor, may);
    if (!shape.must) continue;
    const std::uint32_t loop = term.var - kFirstLoopVar;
    const bool inside = std::find(access.loops.begin(), access.loops.end(), loop) != access.loops.end();
    if (term.var >= evaluator.first_derived() || !inside) {
      shape.must.reset();
      continue;
    }
    const Interval must = intersect({0, evaluator.iterations(loop).least}, evaluator.items().iteration(loop));
    if (must.empty()) {
      shape.must.reset();
      continue;
    }
    shape.must->push(term.factor, must);
    shape.same = shape.same && must == may;
  }
}

/// Whether each work-item of the setting surely runs the access, for those iterations that loops surely make.
bool surely_runs(const Access& access, const Setting& setting) {
  if (access.kind != AccessKind::write || !access.guards_complete || setting.narrowed.loose) return false;
  Evaluator& evaluator = setting.evaluator;
  const auto& loops = evaluator.launch().traits.loops;
  for (const std::uint32_t loop : access.loops) {
    if (!loops[loop].exact) return false;
    const Interval asked = evaluator.items().iteration(loop);
    if (asked.lo > 0 && asked.lo > evaluator.iterations(loop).least) return false;
  }
  // Bounds on iterations of loops that are not around the access say nothing about when it runs.
  const auto& bounded = evaluator.items().iterations;
  for (std::uint32_t loop = 0; loop < bounded.size(); ++loop) {
    const bool inside = std::find(access.loops.begin(), access.loops.end(), loop) != access.loops.end();
    if (!inside && bounded[loop] != Interval{0, power_of_two(64) - 1}) return false;
  }
  return true;
}

/// If `bound` ≤ 0 is a bound on the offset itself, cuts `offsets` by it: if (i < n) out[i] for any form i.
/// Returns the step between possible offsets; 0: the bound has another shape.
Wide cut_by_bound(const Form& offset, const Form& bound, Interval& offsets) {
  if (bound.count == 0 || bound.count != offset.count || !offset.slack_free()) return 0;
  const Wide step = offset.terms[0].factor / bound.terms[0].factor;
  if (step == 0) return 0;
  for (unsigned i = 0; i < offset.count; ++i) {
    if (offset.terms[i].var != bound.terms[i].var || offset.terms[i].factor != bound.terms[i].factor * step) return 0;
  }
  // bound = Σ + b ≤ 0 and offset = step·Σ + c: where Σ ≤ -b, the offset is at most (or at least) c - step·b.
  const Wide limit = offset.lo - step * bound.lo;
  offsets = intersect(offsets, step > 0 ? Interval{offsets.lo, limit} : Interval{limit, offsets.hi});
  return step > 0 ? step : -step;
}

class Builder {
 public:
  explicit Builder(const LaunchView& launch)
      : launch_(launch), over_box_(launch), footprints_(launch.traits.parameters.size()) {}

  void add_box(const Box& box) {
    if (box.size() == 0) return;
    items_.assign(launch_.range, box);
    over_box_.reset(items_);
    for (const Access& access : launch_.traits.accesses) add_access(access);
  }

  std::vector<Footprint> take() {
    for (Footprint& footprint : footprints_) {
      if (footprint.reads.ranges().size() > kMostRanges) footprint.reads = footprint.reads.coarsened(kMostRanges);
      if (footprint.may_write.ranges().size() > kMostRanges) {
        footprint.may_write = footprint.may_write.coarsened(kMostRanges);
      }
    }
    return std::move(footprints_);
  }

 private:
  std::uint64_t reachable(const Access& access) const {
    const bool is_buffer = access.argument < launch_.arguments.size() && launch_.arguments[access.argument].is_buffer;
    return is_buffer ? launch_.arguments[access.argument].bytes : 0;
  }

  void add_access(const Access& access) {
    if (reachable(access) == 0) return;
    Truth guards = Truth::always;
    Evaluator* evaluator = &over_box_;
    narrowed_.loose = false;
    narrowed_.bounds.clear();
    if (!access.guards.empty()) {
      guards = apply_guards(over_box_, access.guards, narrowed_);
      for (int i = 0; i < kMostNarrowings && guards == Truth::maybe && narrowed_.smaller; ++i) {
        if (!over_part_) over_part_ = std::make_unique<Evaluator>(launch_);
        over_part_->reset(narrowed_.items);
        evaluator = over_part_.get();
        guards = apply_guards(*over_part_, access.guards, narrowed_);
      }
    }
    if (guards == Truth::never) return;
    touch(access, Setting{*evaluator, narrowed_, guards});
  }

  void touch_all(const Access& access) {
    Footprint& footprint = footprints_[access.argument];
    const ByteRange whole{0, reachable(access)};
    if (access.kind != AccessKind::write) footprint.reads.add(whole);
    if (access.kind == AccessKind::read) return;
    footprint.may_write.add(whole);
    footprint.write_unknown = true;
  }

  /// Bytes per execution: at least `lo`, at most `hi`.
  Interval width_of(const Access& access, Evaluator& evaluator) {
    Interval count{1, 1};
    if (access.count != kNoNode) {
      Form form = evaluator.value(access.count);
      evaluator.canonicalise(form, launch_.traits.nodes[access.count].bits, false, count);
    }
    return {count.lo * access.width, count.hi * access.width};
  }

  void touch(const Access& access, const Setting& setting) {
    if (access.offset == kNoNode) return touch_all(access);
    Evaluator& evaluator = setting.evaluator;
    Form offset = evaluator.value(access.offset);
    const Interval width = width_of(access, evaluator);
    if (width.hi == 0) return;
    Interval offsets;
    const bool known = evaluator.canonicalise(offset, 64, true, offsets);
    const Wide spread = offset.hi - offset.lo;
    if (!known || spread >= static_cast<Wide>(reachable(access))) return touch_all(access);

    Shape shape;
    shape.may.first = offset.lo;
    shape.may.width = width.hi + spread;
    shape.same = spread == 0 && width.is_point();
    if (spread == 0 && width.lo > 0 && surely_runs(access, setting)) {
      shape.must.emplace();
      shape.must->first = offset.lo;
      shape.must->width = width.lo;
    }
    for (unsigned d = 0; d < 3; ++d) add_dimension(offset, evaluator.items(), d, shape);
    add_other_variables(offset, access, evaluator, shape);
    for (const Form& bound : setting.narrowed.bounds) {
      if (setting.guards == Truth::always) break;
      const Wide step = cut_by_bound(offset, bound, offsets);
      if (step < width.hi) shape.must.reset();
    }
    if (!offsets.empty()) commit(access, shape, offsets);
  }

  void commit(const Access& access, const Shape& shape, const Interval& offsets) {
    Footprint& footprint = footprints_[access.argument];
    const Wide end = reachable(access);
    const auto clipped = [&](const Region& region) {
      const Wide from = std::clamp<Wide>(offsets.lo, 0, end);
      const Wide to = std::clamp<Wide>(offsets.hi + region.width, from, end);
      return ByteRange{static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)};
    };
    const ByteRange clip = clipped(shape.may);
    if (clip.empty()) return;
    if (access.kind == AccessKind::atomic) add_region(shape.may, clip, footprint.reads);
    RangeSet& may = access.kind == AccessKind::read ? footprint.reads : footprint.may_write;
    if (!shape.must) {
      add_region(shape.may, clip, may);
      return;
    }
    RangeSet must;
    const bool exact = add_region(*shape.must, clipped(*shape.must), must);
    if (exact) footprint.must_write.add(must);
    if (exact && shape.same) {
      may.add(must);
    } else {
      add_region(shape.may, clip, may);
    }
  }

  const LaunchView launch_;
  ItemSet items_{};
  Evaluator over_box_;
  std::unique_ptr<Evaluator> over_part_;
  Narrowed narrowed_{};
  std::vector<Footprint> footprints_;
};

}  // namespace

std::vector<Footprint> evaluate(const KernelTraits& traits, const NdRange& range, std::span<const Box> boxes,
                                std::span<const ArgumentView> arguments) {
  Builder builder({traits, range, arguments});
  for (const Box& box : boxes) builder.add_box(box);
  return builder.take();
}

std::vector<Footprint> evaluate(const KernelTraits& traits, const NdRange& range, const GroupSpan& span,
                                std::span<const ArgumentView> arguments) {
  std::vector<Box> boxes;
  boxes.reserve(5);
  boxes_of(span, range.group_counts(), boxes);
  return evaluate(traits, range, boxes, arguments);
}

}  // namespace skmd::domain
