// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/launch_shape.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "intercept/backend/port/image_layout.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/profile_record.h"
#include "intercept/machine/machine.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"
#include "partitioner/footprint/row_gaps.h"
#include "partitioner/residency/transfer.h"
#include "partitioner/traits/image_geometry.h"

namespace skmd::icd {

namespace {

constexpr std::size_t kShapesPerKernel = 16;
constexpr std::size_t kSpansPerShape = 64;
constexpr std::size_t kMaxImageRuns = 64;  // what an image is sent and asked for in, rectangle by rectangle

const ImageShape& shape_of(const ImageView& view) {
  return view.over_buffer ? *view.over_buffer : *view.storage->shape();
}

domain::ImageGeometry geometry_of(const ImageView& view) {
  const ImageShape& shape = shape_of(view);
  const ImageLayout layout = tight_layout(shape);
  domain::ImageGeometry geometry;
  std::copy(layout.extent.begin(), layout.extent.end(), geometry.extent);
  geometry.element_bytes = layout.element_bytes;
  geometry.row_pitch = layout.row_pitch;
  geometry.slice_pitch = layout.slice_pitch;
  // A two-dimensional image over a buffer has the pitch that it was made with.
  if (view.over_buffer && shape.desc.image_row_pitch != 0) geometry.row_pitch = shape.desc.image_row_pitch;
  return geometry;
}

/// The unit in which parts of an image are kept apart that are not a few rectangles.
std::uint64_t row_bytes(const ImageView& view) {
  const ImageLayout layout = tight_layout(shape_of(view));
  return layout.extent[1] * layout.extent[2] == 1 ? layout.element_bytes : layout.row_pitch;
}

/// A shape's identity: equal keys, equal footprints and eligibility. Written at every launch into memory that stays.
class Key {
 public:
  Key(std::vector<char>& bytes, const Launch& launch, std::size_t roots) : bytes_(bytes) {
    std::size_t most = (kGeometryWords + roots + launch.arguments.size() * kArgumentWords) * sizeof(std::uint64_t);
    for (const LaunchArgument& argument : launch.arguments)
      if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) most += value->size();
    if (bytes_.size() < most) bytes_.resize(most);
  }
  void add(std::uint64_t value) { add(&value, sizeof value); }
  void add(const void* data, std::size_t size) {
    if (size == 0) return;
    std::memcpy(bytes_.data() + used_, data, size);
    used_ += size;
  }
  [[nodiscard]] std::string_view text() const { return {bytes_.data(), used_}; }

 private:
  static constexpr std::size_t kGeometryWords = 14;
  static constexpr std::size_t kArgumentWords = 12;
  std::vector<char>& bytes_;
  std::size_t used_ = 0;
};

/// `deciding`: of which arguments the value counts.
void describe(Key& key, const Launch& launch, const std::vector<domain::RootView>& views,
              const std::vector<std::uint64_t>& root_bytes, const std::vector<bool>& deciding) {
  key.add(launch.range.work_dim);
  key.add(launch.range.offset.data(), sizeof launch.range.offset);
  key.add(launch.range.global.data(), sizeof launch.range.global);
  key.add(launch.range.local.data(), sizeof launch.range.local);
  for (const std::uint64_t bytes : root_bytes) key.add(bytes);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const LaunchArgument& argument = launch.arguments[i];
    key.add(argument.index());
    key.add(views[i].root);
    key.add(views[i].offset);
    if (const auto* view = std::get_if<BufferView>(&argument)) {
      key.add(view->size);
      key.add(view->before);
      key.add(view->storage->is_shared() ? 1 : 0);
    }
    if (const auto* view = std::get_if<ImageView>(&argument)) {
      const domain::ImageGeometry geometry = geometry_of(*view);
      key.add(view->over_buffer ? view->size : 0);
      key.add(&geometry, sizeof geometry);
    }
    if (const auto* local = std::get_if<LocalBytes>(&argument)) key.add(local->bytes);
    if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) {
      key.add(value->size());
      if (i < deciding.size() && deciding[i]) key.add(value->data(), value->size());
    }
  }
}

}  // namespace

/// The shapes of one kernel, most kernels having one or two.
class ShapeMemo : public BuiltKernel::Memo {
 public:
  const std::vector<bool>& deciding(const BuiltKernel& kernel) {
    return deciding_.get([&] { return domain::deciding_values(kernel.traits()); });
  }
  std::shared_ptr<LaunchShape> find(std::string_view key) {
    const MutexGuard lock(mutex_);
    for (const auto& [known, shape] : shapes_)
      if (known == key) return shape;
    return nullptr;
  }
  /// The last one that was kept of those whose keys have the length of `key`, and its first `common` bytes.
  std::shared_ptr<LaunchShape> find_like(std::string_view key, std::size_t common) {
    const MutexGuard lock(mutex_);
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const auto& [known, shape] = shapes_[(oldest_ + shapes_.size() - 1 - i) % shapes_.size()];
      if (known.size() == key.size() && known.compare(0, common, key, 0, common) == 0) return shape;
    }
    return nullptr;
  }
  void keep(std::string_view key, const std::shared_ptr<LaunchShape>& shape) {
    const MutexGuard lock(mutex_);
    if (shapes_.size() < kShapesPerKernel) {
      shapes_.emplace_back(key, shape);
      return;
    }
    shapes_[oldest_] = {std::string(key), shape};
    oldest_ = (oldest_ + 1) % kShapesPerKernel;
  }

 private:
  MadeOnce<std::vector<bool>> deciding_;
  Mutex mutex_;
  std::vector<std::pair<std::string, std::shared_ptr<LaunchShape>>> shapes_ SKMD_GUARDED_BY(mutex_);
  std::size_t oldest_ SKMD_GUARDED_BY(mutex_) = 0;
};

std::shared_ptr<LaunchShape> LaunchShape::of(Machine& machine, const Launch& launch,
                                             const std::vector<domain::RootView>& views,
                                             const std::vector<std::uint64_t>& root_bytes) {
  thread_local std::vector<char> bytes;
  Key key(bytes, launch, root_bytes.size());
  auto& memo = launch.kernel->memo<ShapeMemo>();
  describe(key, launch, views, root_bytes, memo.deciding(*launch.kernel));
  key.add(launch.reached.size());
  key.add(launch.part != nullptr ? 1 : 0);
  // These change what is eligible.
  key.add(machine.losses.load(std::memory_order_acquire));
  const std::size_t common = key.text().size();
  key.add(launch.kernel->builds().ended());
  if (auto known = memo.find(key.text())) return known;
  std::shared_ptr<LaunchShape> shape(new LaunchShape(machine, launch, views, root_bytes));
  shape->id_ = (std::hash<std::string_view>()(key.text().substr(0, common)) ^ shape->kernel_.id()) | 1;
  // One more device has the program now; what was found out about the others holds.
  if (const auto before = memo.find_like(key.text(), common)) shape->inherit(*before);
  memo.keep(key.text(), shape);
  return shape;
}

LaunchShape::LaunchShape(Machine& machine, const Launch& launch, const std::vector<domain::RootView>& views,
                         const std::vector<std::uint64_t>& root_bytes)
    : kernel_(*launch.kernel),
      range_(launch.range),
      views_(views),
      roots_(root_bytes.size()),
      root_bytes_(root_bytes),
      eligible_(eligibility(machine, launch)) {
  copy_arguments(launch);
  auto roots_of_all = roots_of({0, range_.group_total()});
  for (std::size_t r = 0; r < roots_; ++r)
    gaps_.push_back(rows_[r] == 0 ? domain::row_gaps(roots_of_all[r].may_write) : domain::RangeSet());
  whole_ = footprint_of(std::move(roots_of_all));
  confined_ = icd::confined(machine, launch, eligible_);
  // Merge functions look for nothing before an argument.
  if (!confined_ && reaches_back()) confined_ = domain::NotSplit::unmergeable;
  estimate_planning();
}

void LaunchShape::estimate_planning() {
  // By bench/micro/partition_bench, doubled: a stencil of 65,794 ranges takes 2.5 ms to evaluate, 0.14 ms to decide how
  // it is merged.
  constexpr double kEvaluating = 80e-9;  // per range
  constexpr double kEvaluation = 5e-6;   // per slice
  constexpr double kLooking = 10e-9;     // per range
  constexpr double kLook = 2e-7;         // per device
  constexpr double kEvaluations = 4;     // of a plan: three rounds of balancing, and what joining costs
  std::size_t ranges = 0;
  std::size_t needed = 0;
  for (std::size_t r = 0; r < roots_; ++r) {
    ranges += whole_->roots[r].reads.ranges().size() + whole_->roots[r].may_write.ranges().size();
    needed += whole_->needed[r].ranges().size();
  }
  const auto devices = static_cast<double>(eligible_.count());
  checking_seconds_ = devices * (kLook + kLooking * static_cast<double>(needed));
  planning_seconds_ = kEvaluations * (devices * kEvaluation + kEvaluating * static_cast<double>(ranges));
}

void LaunchShape::copy_arguments(const Launch& launch) {
  arguments_.resize(launch.arguments.size());
  rows_.resize(roots_);
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    Argument& own = arguments_[i];
    const LaunchArgument& argument = launch.arguments[i];
    own.bytes_in_root = std::holds_alternative<BufferView>(argument) || std::holds_alternative<NullPointer>(argument) ||
                        std::holds_alternative<ImageView>(argument);
    if (const auto* view = std::get_if<BufferView>(&argument)) {
      own.bytes = view->size + view->before;
      own.before = view->before;
    }
    if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) own.value = *value;
    if (const auto* image = std::get_if<ImageView>(&argument)) {
      own.bytes = image->over_buffer ? image->size : image->storage->bytes();
      const domain::ImageGeometry geometry = geometry_of(*image);
      own.value.resize(sizeof geometry);
      std::memcpy(own.value.data(), &geometry, sizeof geometry);
      if (!image->over_buffer) rows_[views_[i].root] = row_bytes(*image);
    }
  }
  for (const Argument& own : arguments_)
    argument_views_.push_back({own.bytes_in_root, own.bytes, own.value, own.before});
  for (std::size_t i = 0; i < views_.size(); ++i) views_[i].offset -= arguments_[i].before;
  find_open(launch);
}

std::vector<domain::RootFootprint> LaunchShape::roots_of(const domain::GroupSpan& span) const {
  std::vector<domain::RootFootprint> roots(roots_);
  if (kernel_.opaque()) {
    add_unanalysed(roots);
  } else {
    const auto arguments = domain::evaluate(kernel_.traits(), range_, span, argument_views_);
    roots = domain::on_roots(arguments, views_, static_cast<std::uint32_t>(roots_));
  }
  add_open(roots);
  round_images(roots);
  return roots;
}

SharedFootprint LaunchShape::footprint_of(std::vector<domain::RootFootprint> roots) const {
  auto footprint = std::make_shared<SpanFootprint>();
  for (std::size_t r = 0; r < roots_; ++r) domain::close_row_gaps(roots[r], gaps_[r]);
  footprint->roots = std::move(roots);
  for (const domain::RootFootprint& root : footprint->roots) {
    footprint->needed.push_back(root.may_write.difference(root.must_write));
    footprint->needed.back().add(root.reads);
    footprint->in_place.push_back(footprint->needed.back().intersection(root.may_write));
  }
  return footprint;
}

std::vector<domain::AtomicFootprint> LaunchShape::atomics(const domain::GroupSpan& span) const {
  return domain::evaluate_atomics(kernel_.traits(), range_, span, argument_views_, views_,
                                  static_cast<std::uint32_t>(roots_));
}

void LaunchShape::add_unanalysed(std::vector<domain::RootFootprint>& roots) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (views_[i].root == domain::kNoRoot) continue;
    const domain::ByteRange all{views_[i].offset, views_[i].offset + arguments_[i].bytes};
    domain::RootFootprint& root = roots[views_[i].root];
    root.reads.add(all);
    root.may_write.add(all);
    root.write_unknown = true;
  }
}

void LaunchShape::round_images(std::vector<domain::RootFootprint>& roots) const {
  for (std::size_t r = 0; r < roots.size(); ++r) {
    const std::uint64_t row = rows_[r];
    if (row == 0 || domain::row_runs(roots[r].may_write).size() <= kMaxImageRuns) continue;
    domain::RangeSet may;
    domain::RangeSet must;
    for (const domain::ByteRange& range : roots[r].may_write.ranges())
      may.add(domain::ByteRange{range.begin / row * row, (range.end + row - 1) / row * row});
    for (const domain::ByteRange& range : roots[r].must_write.ranges()) {
      const domain::ByteRange whole{(range.begin + row - 1) / row * row, range.end / row * row};
      if (!whole.empty()) must.add(whole);
    }
    roots[r].may_write = std::move(may);
    roots[r].must_write = std::move(must);
  }
}

SharedFootprint LaunchShape::footprint(const domain::GroupSpan& span) {
  if (span.first == 0 && span.last == range_.group_total()) return whole_;
  {
    const MutexGuard lock(mutex_);
    for (const auto& [known, footprint] : recent_)
      if (known == span) return footprint;
  }
  SharedFootprint footprint = footprint_of(roots_of(span));
  const MutexGuard lock(mutex_);
  if (recent_.size() < kSpansPerShape) {
    recent_.emplace_back(span, footprint);
  } else {
    recent_[oldest_] = {span, footprint};
    oldest_ = (oldest_ + 1) % kSpansPerShape;
  }
  return footprint;
}

double LaunchShape::joining_seconds(const std::function<double()>& estimate) {
  {
    const MutexGuard lock(mutex_);
    if (joining_seconds_) return *joining_seconds_;
  }
  const double seconds = estimate();
  const MutexGuard lock(mutex_);
  joining_seconds_ = seconds;
  return seconds;
}

std::shared_ptr<const Decision> LaunchShape::decision(DecisionBasis* basis) {
  const MutexGuard lock(mutex_);
  if (basis != nullptr) *basis = basis_;
  return decision_;
}

const domain::Point& LaunchShape::point(const Launch& launch) {
  return point_.get([&] { return point_of_launch(launch); });
}

bool LaunchShape::first_use(std::uint32_t device, bool with_offset) {
  auto& used = used_[with_offset ? 1 : 0];
  const std::uint64_t bit = std::uint64_t{1} << device;
  if ((used.load(std::memory_order_relaxed) & bit) != 0) return false;
  return (used.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

std::shared_ptr<const Decision> LaunchShape::standing() const {
  // No owner is counted: the caller holds the shape, which owns the decision.
  return {std::shared_ptr<const void>(), standing_.load(std::memory_order_acquire)};
}

std::shared_ptr<const Decision> LaunchShape::keep_standing(std::shared_ptr<const Decision> decision) {
  {
    const MutexGuard lock(mutex_);
    if (standing_.load(std::memory_order_relaxed) == nullptr) {
      decision_ = std::move(decision);
      standing_.store(decision_.get(), std::memory_order_release);
    }
  }
  return standing();
}

}  // namespace skmd::icd
