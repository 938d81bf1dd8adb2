// SPDX-License-Identifier: Apache-2.0
// Memory for parts of a root that go from one device to another again and again, such as the border that two slices of
// a stencil exchange at each step. It is page-locked as a whole, and apart from the root's host copy: a driver may
// refuse transfers from or to memory of which a part is page-locked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "intercept/machine/host_pages.h"
#include "partitioner/base/byte_ranges.h"

namespace skmd::icd {

/// Of one root. Not thread-safe.
class ExchangeBlocks {
 public:
  /// Makes memory of so many bytes; null: there is none.
  using Make = std::function<std::shared_ptr<HostPages>(std::uint64_t bytes)>;

  /// `ranges` are about to go from a device to others. Memory for them, made by `make` when they have gone so
  /// tuning::kExchanges times; null until then, or where they are too few or too many bytes, or not in one piece: how
  /// far a driver takes rows in host memory to reach is its own matter. It stays for as long as the caller or this has
  /// it: the one that was not asked for for longest goes for others.
  std::shared_ptr<HostPages> of(const domain::RangeSet& ranges, const Make& make);

 private:
  struct Block {
    domain::ByteRange part;
    unsigned exchanges = 0;
    std::uint64_t last = 0;  // of all calls
    bool refused = false;
    std::shared_ptr<HostPages> memory;
  };
  std::uint64_t clock_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace skmd::icd
