// SPDX-License-Identifier: Apache-2.0
// The interface to which measured spans are handed for storage; the profile database's journal implements it.
#pragma once

#include <cstdint>
#include <string>

#include "partitioner/model/profile_sample.h"

namespace skmd::domain {

/// What became of samples so far.
struct SinkProgress {
  std::uint64_t written = 0;  // samples that are there after any end of the process
  std::string problem;        // why later ones are not written; "": they are
};

inline constexpr std::uint64_t kNoKind = 0;

/// Implementations are thread-safe, do not throw, do not wait for another process, and report failures in progress()
/// only: measuring must not disturb the measured application.
class ProfileSink {
 public:
  virtual ~ProfileSink() = default;
  /// True if one more sample of this kind should be added; counts it. `kind`: a hash of what its samples have in
  /// common. `seconds`: duration of the sample's launch, of which recording may take a small part; infinity: no limit.
  virtual bool wants(std::uint64_t kind, double seconds) noexcept = 0;
  /// `kind`: for which wants() was true; kNoKind where it was not asked.
  virtual void add(const ProfileSample& sample, std::uint64_t kind) noexcept = 0;
  [[nodiscard]] virtual SinkProgress progress() const noexcept = 0;
};

}  // namespace skmd::domain
