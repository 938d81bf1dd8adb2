// SPDX-License-Identifier: Apache-2.0
// Where the results of merge rung 2 come together: in host memory, or on a device that can replay stores itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace skmd::domain {

/// One slice's part of the merge, and the link of its device: bytes, and bytes per second.
struct MergePart {
  std::uint32_t device = 0;
  bool in_host_memory = false;    // its results are there
  bool replays = false;           // its device can run merge kernels and has memory for the other results
  std::uint64_t stored = 0;       // bytes that it may have stored
  std::uint64_t old_missing = 0;  // bytes of the old contents that are not on the device
  double to = 0.0, from = 0.0;    // the device's rates, from and to host memory
};

struct MergeQuestion {
  std::span<const MergePart> parts;
  std::uint64_t joined = 0;               // bytes that may be joined
  std::uint64_t old_missing_on_host = 0;  // of the old contents
  double old_from = 0.0;                  // bytes per second at which those come to the host
  double host_seconds = 0.0;              // of replaying there
  /// The device with a memory of its own that is likely to use the result next; nothing: several, or the host.
  std::optional<std::uint32_t> next_user;
};

/// Seconds until the result is where it is likely to be used, if it is merged in host memory, or on the device of part
/// `place`.
double merge_seconds_on_host(const MergeQuestion& question);
double merge_seconds_on(const MergeQuestion& question, std::size_t place);

/// The index of the part on whose device to merge; empty: host memory. `always`: on the cheapest device, if one can.
std::optional<std::size_t> merge_place(const MergeQuestion& question, bool always);

}  // namespace skmd::domain
