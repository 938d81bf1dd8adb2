// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/joining.h"

#include <utility>

#include "intercept/backend/port/host_clock.h"
#include "intercept/backend/port/host_code.h"
#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/storage.h"
#include "intercept/object/event.h"

namespace skmd::icd {

Joining::Joining(Machine& machine, Storage& storage, std::size_t root, const domain::MergeDecision& merge)
    : machine_(machine), storage_(storage), root_(root), merge_(merge) {}

Status Joining::begin() {
  auto scratch = Scratch::make(storage_.bytes());
  if (!scratch) return scratch.error();
  before_.emplace(std::move(*scratch));
  auto host = storage_.host();
  if (!host) return host.error();
  copy_ranges(*host, before_->data(), merge_.joined[root_]);
  return {};
}

void Joining::restore() {
  auto host = storage_.host();
  if (before_ && host) copy_ranges(before_->data(), *host, merge_.joined[root_].difference(storage_.write_mapped()));
}

void Joining::join(const std::byte* result, std::byte* merged, const domain::RangeSet& ranges) const {
  if (merge_.per_root[root_] == domain::Rung::diff) {
    const std::uint32_t element = merge_.element[root_];
    return for_each_piece(ranges, element, [&](const domain::ByteRange& piece) {
      domain::merge_difference(before_->data(), result, merged, piece, element);
    });
  }
  for (const domain::CommutingBytes& part : merge_.commuting[root_])
    for_each_piece(ranges.intersection(part.bytes), part.width, [&](const domain::ByteRange& piece) {
      domain::merge_commuting(before_->data(), result, merged, piece, part.operation, part.width);
    });
}

Status Joining::finish(const std::vector<SliceWork>& slices, const std::string& kernel) {
  auto host = storage_.host();
  if (!host) return host.error();
  auto results = fetch_results(machine_, storage_, root_, slices, merge_.joined[root_], kernel);
  if (!results) return results.error();
  for (const SliceResult& result : *results) {
    const std::uint64_t begin = host_now();
    // Bytes that the application has mapped for writing are left to it, also where a device was sent old values of
    // them.
    const domain::RangeSet ranges = result.ranges.difference(storage_.write_mapped());
    join(result.bytes.data(), *host, ranges);
    machine_.observer->merge({kernel, merge_.per_root[root_], ranges.bytes(), begin, host_now()});
  }
  storage_.host_written(merge_.joined[root_].difference(storage_.write_mapped()));
  return {};
}

}  // namespace skmd::icd
