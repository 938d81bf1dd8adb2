// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/moving_bytes.h"

#include <algorithm>
#include <mutex>

#include "intercept/backend/port.h"

namespace skmd::icd {
namespace {

/// Defined bytes of root `r` that `device` has not got and needs for what `touches` says.
std::uint64_t bytes_missing(const Machine& machine, const LaunchView& view, std::uint32_t device,
                            const SpanFootprint& touches, std::size_t r) {
  Storage& root = *view.roots()[r];
  const std::lock_guard lock(root.mutex());
  return root.residency().missing_bytes(memory_of(machine, device), touches.needed[r]);
}

}  // namespace

domain::SpaceId memory_of(const Machine& machine, std::uint32_t device) {
  return machine.devices[device]->description().space;
}

bool has_recurring(const LaunchView& view) {
  return std::any_of(view.roots().begin(), view.roots().end(), [](const auto& root) { return root->recurs(); });
}

std::uint64_t bytes_to(const Machine& machine, const LaunchView& view, std::uint32_t device,
                       const SpanFootprint& touches) {
  const bool apart = memory_of(machine, device) != domain::kHostSpace;
  std::uint64_t bytes = 0;
  for (std::size_t r = 0; r < touches.needed.size(); ++r) {
    if (!view.roots()[r]->recurs())
      bytes += bytes_missing(machine, view, device, touches, r);
    else if (apart)
      bytes += touches.needed[r].bytes();
  }
  return bytes;
}

std::uint64_t bytes_awaited(const Machine& machine, const LaunchView& view, std::uint32_t device) {
  const SpanFootprint& touches = view.whole();
  std::uint64_t bytes = 0;
  for (std::size_t r = 0; r < touches.needed.size(); ++r)
    if (!view.roots()[r]->recurs()) bytes += bytes_missing(machine, view, device, touches, r);
  return bytes;
}

std::uint64_t bytes_from(const Machine& machine, std::uint32_t device, const SpanFootprint& touches) {
  if (memory_of(machine, device) == domain::kHostSpace) return 0;
  std::uint64_t bytes = 0;
  for (const auto& root : touches.roots) bytes += root.may_write.bytes();
  return bytes;
}

}  // namespace skmd::icd
