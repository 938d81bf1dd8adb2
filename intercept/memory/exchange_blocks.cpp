// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/exchange_blocks.h"

#include <algorithm>

#include "intercept/memory/memory_constants.h"

namespace skmd::icd {

using namespace tuning;

std::shared_ptr<HostPages> ExchangeBlocks::of(const domain::RangeSet& ranges, const Make& make) {
  const domain::ByteRange hull = ranges.hull();
  const std::uint64_t bytes = ranges.bytes();
  if (bytes < kLeastExchanged || hull.size() > kMaxExchanged || hull.size() / kScatteredPart > bytes) return nullptr;
  ++clock_;
  auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) { return block.hull == hull; });
  if (found == blocks_.end()) {
    if (blocks_.size() == kMaxExchangeBlocks)
      blocks_.erase(std::min_element(blocks_.begin(), blocks_.end(),
                                     [](const Block& a, const Block& b) { return a.last < b.last; }));
    found = blocks_.insert(blocks_.end(), {hull, 0, 0, false, nullptr});
  }
  found->last = clock_;
  if (found->refused || ++found->exchanges < kExchanges) return nullptr;
  if (found->memory == nullptr) {
    found->memory = make(hull.size());
    found->refused = found->memory == nullptr;
  }
  return found->memory;
}

}  // namespace skmd::icd
