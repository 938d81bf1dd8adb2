// SPDX-License-Identifier: Apache-2.0
// Copies of a root's bytes beside the shadow: pre-images, and what other devices left.
#pragma once

#include <string>
#include <vector>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"

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

/// Copies `ranges` of a root, whose byte 0 is at `from` and `to`, on the host's threads. Blocks.
void copy_ranges(const std::byte* from, std::byte* to, const domain::RangeSet& ranges);

/// What the slices of a launch that have a memory of their own left in one root.
struct SliceResult {
  const SliceWork* slice = nullptr;
  domain::RangeSet ranges;
  Scratch bytes;
};

/// Reads what every such slice may have written of `joined` of `root`, from all devices at once. Blocks. `slices` must
/// outlive the results.
Result<std::vector<SliceResult>> fetch_results(Machine& machine, Storage& storage, std::size_t root,
                                               const std::vector<SliceWork>& slices, const domain::RangeSet& joined,
                                               const std::string& kernel);

}  // namespace skmd::icd
