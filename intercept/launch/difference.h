// SPDX-License-Identifier: Apache-2.0
// Merge rung 3: results joined by their difference from the common pre-image, chosen per store element.
#pragma once

#include <memory>
#include <vector>

#include "intercept/launch/decision.h"

namespace skmd::icd {

/// Host memory as large as a root, of which only touched pages exist.
class Scratch {
 public:
  static Result<Scratch> make(std::uint64_t bytes);
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&& other) noexcept;
  ~Scratch();
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  Scratch(std::byte* data, std::uint64_t bytes) : data_(data), bytes_(bytes) {}
  std::byte* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

void copy_ranges(const std::byte* from, std::byte* to, const domain::RangeSet& ranges);

/// Joins one root of a split launch. The pre-image must be valid in host memory when begin() runs, and in every device
/// that writes the root before its slice starts.
class Difference {
 public:
  Difference(Machine& machine, Storage& storage, std::size_t root, std::uint32_t element);
  /// Keeps the pre-image of all bytes that any slice may write. Before the first slice starts.
  Status begin(const std::vector<SliceWork>& slices);
  /// After all slices: fetches each discrete device's bytes and joins them in the shadow; commits residency.
  Status finish(const std::vector<SliceWork>& slices, const std::string& kernel);
  /// Instead of finish(), after a failure: the shadow holds the pre-image again.
  void restore();

 private:
  Status fetch(const SliceWork& slice, std::byte* to, const std::string& kernel);
  Machine& machine_;
  Storage& storage_;
  std::size_t root_;
  std::uint32_t element_;
  domain::RangeSet written_;
  std::unique_ptr<Scratch> before_;
};

}  // namespace skmd::icd
