// SPDX-License-Identifier: Apache-2.0
// The shapes that a kernel remembers, and by what they are known.
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "intercept/launch/decision_constants.h"
#include "intercept/launch/launch_arguments.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/launch/made_once.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"
#include "partitioner/footprint/footprint.h"

namespace skmd::icd {
namespace {

using namespace tuning;

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
  static constexpr std::size_t kGeometryWords = 16;  // of() adds 6 of them, describe() the others
  static constexpr std::size_t kArgumentWords = 12;  // of each argument at most
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

/// The shapes of one kernel, most kernels having one or two.
class ShapeMemo : public BuiltKernel::Memo {
 public:
  const std::vector<bool>& deciding(const BuiltKernel& kernel) {
    return deciding_.get([&] { return domain::deciding_values(kernel.traits()); });
  }
  std::shared_ptr<Paces> paces(std::size_t devices) {
    return paces_.get([devices] { return std::make_shared<Paces>(devices); });
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
  MadeOnce<std::shared_ptr<Paces>> paces_;
  Mutex mutex_{LockRank::shape_memo};
  std::vector<std::pair<std::string, std::shared_ptr<LaunchShape>>> shapes_ SKMD_GUARDED_BY(mutex_);
  std::size_t oldest_ SKMD_GUARDED_BY(mutex_) = 0;
};

}  // namespace

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
  const std::uint64_t stopped = machine.stopped.load(std::memory_order_acquire);  // it may change meanwhile
  key.add(stopped);
  key.add(launch.kernel->traps_often());
  const std::size_t common = key.text().size();
  key.add(launch.kernel->builds().ended());
  if (auto known = memo.find(key.text())) return known;
  const std::uint64_t id = (std::hash<std::string_view>()(key.text().substr(0, common)) ^ launch.kernel->id()) | 1;
  // One more device has the program now; what was found out about the others holds.
  const auto before = memo.find_like(key.text(), common);
  auto geometry = before != nullptr ? before->geometry_ : std::make_shared<Geometry>(launch, views, root_bytes);
  std::shared_ptr<LaunchShape> shape(
      new LaunchShape(machine, launch, std::move(geometry), id, memo.paces(machine.devices.size()), stopped));
  if (before != nullptr) shape->inherit(*before);
  memo.keep(key.text(), shape);
  return shape;
}

}  // namespace skmd::icd
