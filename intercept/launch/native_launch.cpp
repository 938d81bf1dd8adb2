// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/native_launch.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "compiler/client/client.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_shape.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/mover.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

Result<std::shared_ptr<NativeMemory>> image_of(const ImageView& view, Device& device,
                                               const std::shared_ptr<NativeMemory>& root) {
  if (!view.over_buffer) return root;
  ImageShape shape = *view.over_buffer;
  shape.buffer_offset = view.offset;
  shape.buffer_bytes = view.size;
  return device.allocate_image(shape, root);
}

namespace {

Result<NativeArgument> image_argument(const ImageView& view, Device& device, std::uint32_t index) {
  auto root = view.storage->native(index);
  if (!root) return root.error();
  auto image = image_of(view, device, *root);
  if (!image) return image.error();
  return NativeArgument(ImageArgument{std::move(*image)});
}

Result<NativeArgument> native_argument(const Machine& machine, const LaunchArgument& argument, std::uint32_t index) {
  Device& device = *machine.devices[index];
  if (const auto* value = std::get_if<std::vector<std::byte>>(&argument)) return NativeArgument(*value);
  if (const auto* local = std::get_if<LocalBytes>(&argument)) return NativeArgument(LocalArgument{local->bytes});
  if (const auto* image = std::get_if<ImageView>(&argument)) return image_argument(*image, device, index);
  if (const auto* sampler = std::get_if<SamplerView>(&argument)) {
    auto native = device.sampler(sampler->normalized, sampler->addressing, sampler->filter);
    if (!native) return native.error();
    return NativeArgument(SamplerArgument{*native});
  }
  if (const auto* view = std::get_if<BufferView>(&argument)) {
    auto native = view->storage->native(index);
    if (!native) return native.error();
    return NativeArgument(BufferArgument{*native, view->offset, view->size, view->storage->is_shared()});
  }
  return NativeArgument(BufferArgument{});  // a null pointer
}

std::vector<std::byte> record_of(const Launch& launch, const domain::Box& box) {
  compiler::HiddenRecord record{};
  const domain::Extent3 counts = launch.range.group_counts();
  for (std::size_t d = 0; d < 3; ++d) {
    record.global_offset[d] = launch.range.offset[d];
    record.global_size[d] = launch.range.global[d];
    record.group_count[d] = counts[d];
    record.first_group[d] = box.first[d];
    record.local_size[d] = launch.range.local[d];
  }
  std::vector<std::byte> bytes(sizeof record);
  std::memcpy(bytes.data(), &record, sizeof record);
  return bytes;
}

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  return (seed ^ (value + 0x9E3779B97F4A7C15u + (seed << 6) + (seed >> 2))) * 0xFF51AFD7ED558CCDu;
}

}  // namespace

Result<NativeCall> native_call(const Machine& machine, const Launch& launch, std::uint32_t device) {
  auto kernel = launch.kernel->native(device);
  if (!kernel) return kernel.error();
  auto arguments = std::make_shared<std::vector<NativeArgument>>();
  arguments->reserve(launch.arguments.size());
  for (const LaunchArgument& argument : launch.arguments) {
    auto native = native_argument(machine, argument, device);
    if (!native) return native.error();
    arguments->push_back(std::move(*native));
  }
  return NativeCall{std::move(*kernel), std::move(arguments)};
}

namespace {

/// Native layouts of images are the vendor's own: even a device that uses host memory has its own copy of an image.
/// What a slice needs of it is brought there before, and what it may have written is fetched after.
Status images_in_place(const LaunchView& view, const SliceWork& slice, std::vector<Op>& before,
                       std::vector<Op>& after) {
  for (std::size_t r = 0; r < view.roots().size(); ++r) {
    Storage& root = *view.roots()[r];
    if (!root.is_image()) continue;
    auto native = root.native(slice.device);
    if (!native) return native.error();
    auto host = root.host();
    if (!host) return host.error();
    append_writes(root, *native, *host, slice.touches->needed[r], before);
    // Bytes that the application has mapped for writing are left to it.
    append_reads(root, *native, *host, slice.touches->roots[r].may_write.difference(root.write_mapped()), after);
  }
  return {};
}

}  // namespace

YieldNeeds yield_needs(const Launch& launch) {
  const domain::Extent3& local = launch.range.local;
  YieldNeeds needs{launch.range.group_total(), local[0] * local[1] * local[2], 0};
  for (const LaunchArgument& argument : launch.arguments)
    if (const auto* bytes = std::get_if<LocalBytes>(&argument)) needs.local_bytes += bytes->bytes;
  return needs;
}

void append_span(const Launch& launch, const NativeCall& call, const domain::GroupSpan& span, std::vector<Op>& ops) {
  thread_local std::vector<domain::Box> boxes;
  domain::boxes_of(span, launch.range.group_counts(), boxes);
  ops.reserve(ops.size() + boxes.size());
  for (const domain::Box& box : boxes) {
    RunOp op{call.kernel, call.arguments, {}, domain::launch_of(launch.range, box)};
    if (launch.kernel->traits().hidden_record) op.record = record_of(launch, box);
    ops.emplace_back(std::move(op));
  }
}

Status append_runs(const Launch& launch, const LaunchView& view, const SliceWork& slice, const NativeCall& call,
                   std::vector<Op>& ops) {
  std::vector<Op> after;
  if (launch.kernel->machine().devices[slice.device]->description().space == domain::kHostSpace)
    if (auto status = images_in_place(view, slice, ops, after); !status) return status;
  append_span(launch, call, slice.span, ops);
  std::move(after.begin(), after.end(), std::back_inserter(ops));
  return {};
}

namespace {

/// What vendors may have compiled in this process: kernels with their local sizes on devices. Thread-safe.
class UsedKernels {
 public:
  /// Lives as long as the process.
  static UsedKernels& get() {
    static auto* used = new UsedKernels;
    return *used;
  }
  /// PoCL compiles again for each local size and for zero against non-zero offset.
  static std::uint64_t key_of(const Launch& launch, std::uint32_t device, bool with_offset) {
    std::uint64_t key = mix(launch.kernel->id(), device);
    for (const std::uint64_t size : launch.range.local) key = mix(key, size);
    return mix(key, with_offset ? 1 : 0);
  }
  bool contains(std::uint64_t key) {
    const MutexGuard lock(mutex_);
    return keys_.contains(key);
  }
  void add(std::uint64_t key) {
    const MutexGuard lock(mutex_);
    keys_.insert(key);
  }

 private:
  Mutex mutex_{LockRank::used_kernels};
  std::unordered_set<std::uint64_t> keys_ SKMD_GUARDED_BY(mutex_);
};

}  // namespace

bool is_first_use(const Launch& launch, const LaunchView& view, std::uint32_t device, const domain::GroupSpan& span) {
  const bool with_offset = span.first != 0;
  if (view.shape().first_uses().is_marked(device, with_offset)) return false;
  return !UsedKernels::get().contains(UsedKernels::key_of(launch, device, with_offset));
}

void mark_used(const Launch& launch, const LaunchView& view, std::uint32_t device, const domain::GroupSpan& span) {
  const bool with_offset = span.first != 0;
  FirstUses& shape = view.shape().first_uses();
  if (shape.is_marked(device, with_offset)) return;
  UsedKernels::get().add(UsedKernels::key_of(launch, device, with_offset));
  shape.mark(device, with_offset);
}

}  // namespace skmd::icd
