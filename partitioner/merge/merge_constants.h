// SPDX-License-Identifier: Apache-2.0
// Where the results of a split launch are merged (merge_place.h).
#pragma once

namespace skmd::domain::tuning {

/// Bytes per second with which a device's own memory is copied and merged, at least. Source: chosen far below what
/// present GPUs' memories move, a terabyte and more (docs/decisions/calibration-happens-in-the-library.md).
inline constexpr double kMergeDeviceRate = 50e9;
/// Seconds of the batches that a merge on a device takes beside those on the host: a few submissions and their ends.
/// Source: chosen.
inline constexpr double kMergeDeviceSeconds = 100e-6;
/// Where the next user of the result is not known: the part of it that is expected to be needed in another memory.
/// Source: chosen, as either is as likely.
inline constexpr double kWantedElsewhere = 0.5;
/// Part of the host's time that a device has to stay below: at nearly equal cost the host is preferred, whose cost is
/// known best. Source: docs/decisions/merge-kernels-on-devices.md.
inline constexpr double kMergePlaceGain = 0.9;

}  // namespace skmd::domain::tuning
