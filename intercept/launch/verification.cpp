// SPDX-License-Identifier: Apache-2.0
#include "intercept/launch/verification.h"

#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "intercept/backend/port/port.h"
#include "intercept/launch/decision.h"
#include "intercept/launch/launch_view.h"
#include "intercept/machine/machine.h"
#include "intercept/memory/mover.h"
#include "intercept/memory/storage.h"
#include "intercept/object/kernel.h"
#include "intercept/object/launch.h"

namespace skmd::icd {

namespace {

domain::RangeSet touched(const domain::RootFootprint& footprint) {
  domain::RangeSet ranges = footprint.reads;
  ranges.add(footprint.may_write);
  return ranges;
}

/// The first values that differ, as bytes: a buffer's element type is not known here.
std::string hexadecimal(const std::byte* bytes, std::uint64_t first, std::uint64_t end) {
  constexpr std::uint64_t kShown = 16;  // bytes of each side
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (std::uint64_t i = first; i < end && i < first + kShown; ++i) {
    const auto value = static_cast<unsigned>(bytes[i]);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

Verification::Verification(Machine& machine, const Launch& launch, const LaunchView& view, const Decision& decision)
    : machine_(machine), launch_(launch), view_(view), decision_(decision), number_(next_number()) {}

Result<std::unique_ptr<Verification>> Verification::begin(Machine& machine, const Launch& launch,
                                                          const LaunchView& view, const Decision& decision) {
  std::unique_ptr<Verification> verification(new Verification(machine, launch, view, decision));
  for (std::size_t r = 0; r < view.roots().size(); ++r) {
    Storage& root = *view.roots()[r];
    const domain::RangeSet ranges = touched(view.whole().roots[r]);
    if (auto status = root.gather(ranges, "verify"); !status) return status.error();
    auto host = root.host();
    if (!host) return host.error();
    auto scratch = Scratch::make(root.bytes());
    if (!scratch) return scratch.error();
    copy_ranges(*host, scratch->data(), ranges);
    verification->before_.push_back(std::move(*scratch));
  }
  return verification;
}

Result<PrivateCopies> Verification::run_whole(const SliceWork& slice) {
  std::vector<const std::byte*> sources;
  std::vector<domain::RangeSet> ranges;
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    sources.push_back(before_[r].data());
    ranges.push_back(touched(view_.whole().roots[r]));
  }
  auto copies = PrivateCopies::make(machine_, launch_, view_, slice.device, sources, ranges);
  if (!copies) return copies;
  Batch batch;
  for (std::size_t r = 0; r < ranges.size(); ++r) copies->copy(r, ranges[r], batch.ops);
  append_span(launch_, copies->call(), {0, launch_.range.group_total()}, batch.ops);
  for (std::size_t r = 0; r < ranges.size(); ++r) copies->fetch(r, view_.whole().roots[r].may_write, batch.ops);
  BatchGroup group;
  group.submit(*machine_.devices[slice.device], std::move(batch));
  if (auto status = group.wait(); !status) return status.error();
  return copies;
}

std::uint32_t Verification::argument_of(std::size_t root) const {
  for (std::uint32_t i = 0; i < view_.views().size(); ++i)
    if (view_.views()[i].root == root) return i;
  return 0;
}

Status Verification::compare(const SliceWork& slice, const PrivateCopies& whole) {
  for (std::size_t r = 0; r < view_.roots().size(); ++r) {
    const bool joined = !decision_.merge.joined[r].empty();
    Storage& root = *view_.roots()[r];
    const domain::RangeSet& written = joined ? view_.whole().roots[r].may_write : slice.touches->roots[r].may_write;
    // Bytes that the application has mapped for writing are left to it.
    const domain::RangeSet ranges = written.difference(root.write_mapped());
    if (ranges.empty()) continue;
    if (auto status = root.gather(ranges, "verify"); !status) return status;
    auto host = root.host();
    if (!host) return host.error();
    const std::byte* const expected = whole.contents(r);
    VerifyReport report;
    report.kernel = launch_.kernel->traits().name;
    report.device = slice.device;
    report.argument = argument_of(r);
    report.launch = number_;
    for (const domain::ByteRange& range : ranges.ranges())
      for (std::uint64_t i = range.begin; i < range.end; ++i) {
        if ((*host)[i] == expected[i]) continue;
        if (report.mismatching_bytes++ != 0) continue;
        report.first_offset = i;
        report.detail = "the split launch gave " + hexadecimal(*host, i, range.end) + ", a whole run " +
                        hexadecimal(expected, i, range.end);
      }
    machine_.observer->verify(report);
  }
  return {};
}

Status Verification::finish() {
  for (const SliceWork& slice : decision_.slices) {
    auto whole = run_whole(slice);
    if (!whole) return whole.error();
    if (auto status = compare(slice, *whole); !status) return status;
  }
  return {};
}

}  // namespace skmd::icd
