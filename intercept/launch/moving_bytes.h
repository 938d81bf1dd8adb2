// SPDX-License-Identifier: Apache-2.0
// How many bytes a slice has moved to its device and from it: what plans charge for transfers. Thread-safe.
#pragma once

#include <cstdint>

#include "intercept/launch/launch_view.h"
#include "intercept/object/machine.h"

namespace skmd::icd {

/// Where the device's kernels find their buffers.
domain::SpaceId memory_of(const Machine& machine, std::uint32_t device);

/// Whether the launch uses a root that the application writes for each launch (Storage::recurs()).
bool has_recurring(const LaunchView& view);

/// Bytes that `device` has to be sent for what `touches` says. Of a recurring root these are all bytes that it needs,
/// wherever the last plan had them sent; of others those that it has not got.
std::uint64_t bytes_to(const Machine& machine, const LaunchView& view, std::uint32_t device,
                       const SpanFootprint& touches);

/// Of those for the whole launch, the ones that are sent after the launch was enqueued: not of recurring roots.
std::uint64_t bytes_awaited(const Machine& machine, const LaunchView& view, std::uint32_t device);

/// Results that have to come back to host memory when they are read; 0 for a device that uses host memory.
std::uint64_t bytes_from(const Machine& machine, std::uint32_t device, const SpanFootprint& touches);

}  // namespace skmd::icd
