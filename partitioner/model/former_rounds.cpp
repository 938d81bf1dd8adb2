// SPDX-License-Identifier: Apache-2.0
#include "partitioner/model/former_rounds.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "partitioner/model/round_constants.h"

namespace skmd::domain {

using namespace tuning;

bool keeps_rounds(std::uint64_t rounds) {
  return rounds % kFirstRoundsKept == 0 && std::has_single_bit(rounds / kFirstRoundsKept);
}

std::optional<FormerRounds> former_rounds(std::span<const StoredSample> samples, const DeviceKey& device,
                                          const NdRange& range) {
  std::vector<const ProfileSample*> mine;
  for (const auto& [sample, origin] : samples)
    if (origin == SampleOrigin::here && sample.device == device && sample.range == range && sample.kernel_ns > 0)
      mine.push_back(&sample);
  if (mine.empty()) return std::nullopt;
  std::stable_sort(mine.begin(), mine.end(), [](const auto* a, const auto* b) { return a->date > b->date; });
  FormerRounds found;
  double processes = 0.0;
  for (const ProfileSample* sample : mine) {
    // Of most processes there is one sample of so few rounds, and each later one counts those before it again. One
    // whose trial was hopeless may have two.
    const std::uint64_t rounds = std::uint64_t{sample->passed_over} + 1;
    if (rounds <= kFirstRoundsKept) processes += 1.0;
    found.by_themselves = found.by_themselves && sample->warm;
    found.total += static_cast<double>(rounds <= kFirstRoundsKept ? rounds : rounds / 2);
  }
  found.of_one = found.total / std::max(processes, 1.0);
  mine.resize(std::min(mine.size(), kNewestRounds));
  std::sort(mine.begin(), mine.end(), [](const auto* a, const auto* b) { return a->kernel_ns < b->kernel_ns; });
  found.seconds = static_cast<double>(mine[(mine.size() - 1) / 2]->kernel_ns) * 1e-9;
  return found;
}

}  // namespace skmd::domain
