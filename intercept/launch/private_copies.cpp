// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/private_copies.h"

#include <utility>

#include "intercept/backend/port/port.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/mover.h"
#include "intercept/memory/storage.h"
#include "intercept/object/launch.h"

namespace skmd::icd {
namespace {

/// The launch on `device` with every root replaced by a private native object.
Result<NativeCall> with_private(const Machine& machine, const Launch& launch, const LaunchView& view,
                                std::uint32_t device, const std::vector<std::shared_ptr<NativeMemory>>& roots) {
  auto call = native_call(machine, launch, device);
  if (!call) return call.error();
  auto replaced = std::make_shared<std::vector<NativeArgument>>(*call->arguments);
  for (std::size_t i = 0; i < replaced->size(); ++i) {
    if (view.views()[i].root == domain::kNoRoot) continue;
    const std::shared_ptr<NativeMemory>& own = roots[view.views()[i].root];
    if (auto* buffer = std::get_if<BufferArgument>(&(*replaced)[i])) buffer->memory = own;
    if (const auto* image = std::get_if<ImageView>(&launch.arguments[i])) {
      auto native = image_of(*image, *machine.devices[device], own);
      if (!native) return native.error();
      (*replaced)[i] = ImageArgument{*native};
    }
  }
  return NativeCall{std::move(call->kernel), std::move(replaced)};
}

}  // namespace

Result<PrivateCopies::Root> PrivateCopies::make_root(Device& device, const Storage& storage, bool written,
                                                     const std::byte* source) {
  Root root;
  root.storage = &storage;
  root.source = source;
  root.in_place = device.description().space == domain::kHostSpace && !storage.is_image();
  std::byte* place = const_cast<std::byte*>(source);  // of what is not written
  if (written || !root.in_place) {
    auto scratch = Scratch::make(storage.bytes());
    if (!scratch) return scratch.error();
    root.scratch.emplace(std::move(*scratch));
    place = root.scratch->data();
  }
  auto native = storage.is_image() ? device.allocate_image(*storage.shape(), nullptr)
                                   : device.allocate(storage.bytes(), root.in_place ? place : nullptr);
  if (!native) return native.error();
  root.native = std::move(*native);
  return root;
}

Result<PrivateCopies> PrivateCopies::make(const Machine& machine, const Launch& launch, const LaunchView& view,
                                          std::uint32_t device, std::span<const std::byte* const> sources,
                                          std::span<const domain::RangeSet> ranges) {
  PrivateCopies copies;
  std::vector<std::shared_ptr<NativeMemory>> natives;
  for (std::size_t r = 0; r < view.roots().size(); ++r) {
    const bool written = !view.whole().roots[r].may_write.empty();
    auto root = make_root(*machine.devices[device], *view.roots()[r], written, sources[r]);
    if (!root) return root.error();
    natives.push_back(root->native);
    if (root->in_place && root->scratch) copy_ranges(sources[r], root->scratch->data(), ranges[r]);
    copies.roots_.push_back(std::move(*root));
  }
  auto call = with_private(machine, launch, view, device, natives);
  if (!call) return call.error();
  copies.call_ = std::move(*call);
  return copies;
}

void PrivateCopies::copy(std::size_t root, const domain::RangeSet& ranges, std::vector<Op>& ops) {
  Root& one = roots_[root];
  if (!one.in_place)
    append_writes(*one.storage, one.native, one.source, ranges, ops);
  else if (one.scratch)
    copy_ranges(one.source, one.scratch->data(), ranges);
}

void PrivateCopies::fetch(std::size_t root, const domain::RangeSet& ranges, std::vector<Op>& ops) {
  Root& one = roots_[root];
  if (!one.in_place) append_reads(*one.storage, one.native, one.scratch->data(), ranges, ops);
}

const std::byte* PrivateCopies::contents(std::size_t root) const {
  const Root& one = roots_[root];
  return one.scratch ? one.scratch->data() : one.source;
}

}  // namespace skmd::icd
