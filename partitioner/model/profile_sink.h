// SPDX-License-Identifier: Apache-2.0
// Where measured spans go to be kept. An interface of the domain; the profile database's journal implements it.
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

/// Implementations are thread-safe, never throw, never wait for another process, and do not answer with failures:
/// measuring must not disturb what is measured.
class ProfileSink {
 public:
  virtual ~ProfileSink() = default;
  /// Whether one more sample of this kind is worth having. `kind`: a hash of what its samples have in common. Counts
  /// it.
  virtual bool wants(std::uint64_t kind) noexcept = 0;
  virtual void add(const ProfileSample& sample) noexcept = 0;
  [[nodiscard]] virtual SinkProgress progress() const noexcept = 0;
};

}  // namespace skmd::domain
