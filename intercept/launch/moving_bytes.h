// SPDX-License-Identifier: Apache-2.0
// How many bytes a slice has moved to its device and from it, and what else its memory costs: what plans charge for
// transfers. Thread-safe.
#pragma once

#include <cstdint>
#include <span>

#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "partitioner/plan/partition.h"

namespace skmd::icd {

/// Whether the launch uses a root that the application writes for each launch (Storage::recurs()).
bool has_recurring(const LaunchView& view);

/// Bytes that `device` has to be sent for what `touches` says. Of a recurring root these are all bytes that it needs,
/// wherever the last plan had them sent, over the launches of a round; they are copied to host memory for a device that
/// uses it. Of others, those that it has not got.
domain::Moving bytes_to(const Machine& machine, const LaunchView& view, std::uint32_t device,
                        const SpanFootprint& touches);

/// Of those for the whole launch, the ones that are sent after the launch was enqueued: not of recurring roots.
std::uint64_t bytes_awaited(const Machine& machine, const LaunchView& view, std::uint32_t device);

/// Bytes of recurring roots that `touches` needs and `device` has not got now.
std::uint64_t recurring_bytes_missing(const Machine& machine, const LaunchView& view, std::uint32_t device,
                                      const SpanFootprint& touches);

/// Results that have to come back to host memory when they are read, over the launches that are between two reads. Of a
/// device that uses host memory, those that are copied to memory of the application's.
domain::Moving bytes_from(const Machine& machine, const LaunchView& view, std::uint32_t device,
                          const SpanFootprint& touches);

/// Seconds that the launch's first run in host memory takes longer than later ones, since pages of its buffers' host
/// copies are made.
double first_touch_seconds(const LaunchView& view);

/// Changes when the roots of the launch are read clearly more or less often than before.
std::uint32_t read_rhythm(const LaunchView& view);

/// PartitionRequest::behind: where the last launch ran that used any of the roots.
std::optional<std::uint32_t> followed_device(const LaunchView& view);

FarLink far_link(std::uint32_t device);

/// Sets what is known of each device's link. A link that was never used is taken for one like that of a device of the
/// same make, and a device that uses host memory gets bytes over the links of those that have them. Several
/// devices of one other host share a link; each launch of a device there takes the link's round trip more.
void set_links(const Machine& machine, std::span<domain::DeviceModel> models);

}  // namespace skmd::icd
