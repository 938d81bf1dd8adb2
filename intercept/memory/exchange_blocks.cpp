// SPDX-License-Identifier: Apache-2.0
#include "intercept/memory/exchange_blocks.h"

#include <algorithm>

#include "intercept/memory/memory_constants.h"

namespace skmd::icd {

using namespace tuning;

std::shared_ptr<HostPages> ExchangeBlocks::of(const domain::RangeSet& ranges, const Make& make) {
  if (ranges.ranges().size() != 1) return nullptr;
  const domain::ByteRange part = ranges.ranges().front();
  if (part.size() < kLeastExchanged || part.size() > kMaxExchanged) return nullptr;
  ++clock_;
  auto found = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& block) { return block.part == part; });
  if (found == blocks_.end()) {
    if (blocks_.size() == kMaxExchangeBlocks)
      blocks_.erase(std::min_element(blocks_.begin(), blocks_.end(),
                                     [](const Block& a, const Block& b) { return a.last < b.last; }));
    found = blocks_.insert(blocks_.end(), {part, 0, 0, false, nullptr});
  }
  found->last = clock_;
  if (found->refused || ++found->exchanges < kExchanges) return nullptr;
  if (found->memory == nullptr) {
    found->memory = make(part.size());
    found->refused = found->memory == nullptr;
  }
  return found->memory;
}

}  // namespace skmd::icd
