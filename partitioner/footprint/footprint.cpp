// SPDX-License-Identifier: Apache-2.0
#include "partitioner/footprint/footprint.h"

#include <algorithm>

#include "partitioner/footprint/footprint_constants.h"
#include "partitioner/footprint/shape.h"

namespace skmd::domain {
namespace {

using namespace tuning;

using Truth = Evaluator::Truth;

/// What one access, or several fused ones, touch over a box.
struct Touch {
  std::uint32_t argument;
  AccessKind kind;
  Shape shape;
};

class Builder {
 public:
  explicit Builder(const LaunchView& launch)
      : launch_(launch), over_box_(launch), footprints_(launch.traits.parameters.size()) {}

  void add_box(const Box& box) {
    if (box.size() == 0) return;
    items_.assign(launch_.range, box);
    over_box_.reset(items_);
    for (const Access& access : launch_.traits.accesses) add_access(access);
    commit_touches();
  }

  std::vector<Footprint> take() {
    for (Footprint& footprint : footprints_) {
      if (footprint.reads.ranges().size() > kMaxRanges) footprint.reads = footprint.reads.coarsened(kMaxRanges);
      if (footprint.may_write.ranges().size() > kMaxRanges) {
        footprint.may_write = footprint.may_write.coarsened(kMaxRanges);
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
      for (int i = 0; i < kMaxNarrowings && guards == Truth::maybe && narrowed_.smaller; ++i) {
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
    if (const auto before = static_cast<Wide>(launch_.arguments[access.argument].before); known && before != 0) {
      offset.lo += before, offset.hi += before;
      offsets.lo += before, offsets.hi += before;
    }
    const Wide spread = offset.hi - offset.lo;
    if (!known || spread >= static_cast<Wide>(reachable(access))) return touch_all(access);

    const Shape shape = shape_of(access, setting, offset, width, offsets);
    if (!shape.offsets.empty()) keep({access.argument, access.kind, shape});
  }

  /// Regions wait for those that lie between them; what was fused may fit the next one.
  void keep(Touch touch) {
    for (std::size_t i = touches_.size(), tried = 0; i-- > 0 && tried < kMaxFused; ++tried) {
      Touch& kept = touches_[i];
      if (kept.argument != touch.argument || kept.kind != touch.kind) continue;
      if (fuse(kept.shape, touch.shape)) {
        touch = kept;
      } else if (!fuse(touch.shape, kept.shape)) {
        continue;
      }
      touches_.erase(touches_.begin() + static_cast<std::ptrdiff_t>(i));
      i = touches_.size();
      tried = 0;
    }
    touches_.push_back(touch);
  }

  void commit_touches() {
    for (const Touch& touch : touches_) commit(touch);
    touches_.clear();
  }

  void commit(const Touch& touch) {
    const Shape& shape = touch.shape;
    Footprint& footprint = footprints_[touch.argument];
    const Wide end = launch_.arguments[touch.argument].bytes;
    const auto clipped = [&](Wide tail) {
      const Wide from = std::clamp<Wide>(shape.offsets.lo, 0, end);
      const Wide to = std::clamp<Wide>(shape.offsets.hi + tail, from, end);
      return ByteRange{static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)};
    };
    // Also the hull of all bytes that the access may touch.
    const ByteRange clip = clipped(shape.tail);
    if (clip.empty()) return;
    const Detail detail = touch.kind == AccessKind::read ? Detail::coarse : Detail::exact;
    const auto add_possible = [&](RangeSet& set) {
      if (!set.contains(clip)) add_region(shape.may, clip, detail, set);
    };
    if (touch.kind != AccessKind::write) add_possible(footprint.reads);
    if (touch.kind == AccessKind::read) return;
    RangeSet& may = footprint.may_write;
    if (!shape.must) return add_possible(may);
    RangeSet must;
    const bool exact =
        add_region(*shape.must, clipped(shape.step != 0 ? shape.must->width : shape.tail), Detail::exact, must);
    if (exact) footprint.must_write.add(must);
    if (exact && shape.same) {
      may.add(must);
    } else {
      add_possible(may);
    }
  }

  const LaunchView launch_;
  ItemSet items_{};
  Evaluator over_box_;
  std::unique_ptr<Evaluator> over_part_;
  Narrowed narrowed_{};
  std::vector<Touch> touches_;
  std::vector<Footprint> footprints_;
};

}  // namespace

std::vector<Footprint> evaluate(const KernelTraits& traits, const NdRange& range, std::span<const Box> boxes,
                                std::span<const ArgumentView> arguments) {
  Builder builder({traits, range, arguments});
  // The largest box first: what it reads often covers what the ends of the span read.
  std::size_t largest = 0;
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    if (boxes[i].size() > boxes[largest].size()) largest = i;
  }
  if (!boxes.empty()) builder.add_box(boxes[largest]);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (i != largest) builder.add_box(boxes[i]);
  }
  return builder.take();
}

std::vector<Footprint> evaluate(const KernelTraits& traits, const NdRange& range, const GroupSpan& span,
                                std::span<const ArgumentView> arguments) {
  std::vector<Box> boxes;
  boxes.reserve(5);
  boxes_of(span, range.group_counts(), boxes);
  return evaluate(traits, range, boxes, arguments);
}

std::vector<bool> deciding_values(const KernelTraits& traits) {
  std::vector<bool> deciding(traits.parameters.size());
  std::vector<bool> seen(traits.nodes.size());
  std::vector<NodeId> pending;
  const auto visit = [&](NodeId id) {
    if (id == kNoNode || seen[id]) return;
    seen[id] = true;
    pending.push_back(id);
  };
  // Nodes that only work is estimated by are not visited.
  const auto visit_all = [&](const std::vector<Access>& accesses) {
    for (const Access& access : accesses) {
      visit(access.offset);
      visit(access.count);
      for (const Guard& guard : access.guards) visit(guard.node);
      for (const std::uint32_t loop : access.loops) visit(traits.loops[loop].backedges);
    }
  };
  visit_all(traits.accesses);
  visit_all(traits.local_accesses);
  while (!pending.empty()) {
    const Node& node = traits.nodes[pending.back()];
    pending.pop_back();
    const auto index = static_cast<std::size_t>(node.value);
    if (node.op == Op::scalar_argument && index < deciding.size()) deciding[index] = true;
    if (node.op == Op::iteration) visit(traits.loops[index].backedges);
    visit(node.a);
    visit(node.b);
    visit(node.c);
  }
  return deciding;
}

}  // namespace skmd::domain
