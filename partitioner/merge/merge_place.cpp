// SPDX-License-Identifier: Apache-2.0
#include "partitioner/merge/merge_place.h"

#include <algorithm>

#include "partitioner/merge/merge_constants.h"

namespace skmd::domain {
namespace {

using namespace tuning;

double seconds(std::uint64_t bytes, double rate) { return rate > 0 ? static_cast<double>(bytes) / rate : 0.0; }

const MergePart* part_of(const MergeQuestion& question, std::uint32_t device) {
  const auto found = std::find_if(question.parts.begin(), question.parts.end(),
                                  [&](const MergePart& part) { return part.device == device; });
  return found == question.parts.end() ? nullptr : &*found;
}

double slowest_upload(const MergeQuestion& question) {
  double most = 0.0;
  for (const MergePart& part : question.parts)
    if (!part.in_host_memory) most = std::max(most, seconds(question.joined, part.to));
  return most;
}

/// To bring the result from host memory to its next user.
double upload_seconds(const MergeQuestion& question) {
  if (!question.next_user) return kWantedElsewhere * slowest_upload(question);
  const MergePart* user = part_of(question, *question.next_user);
  return user == nullptr ? slowest_upload(question) : seconds(question.joined, user->to);
}

}  // namespace

double merge_seconds_on_host(const MergeQuestion& question) {
  double total = question.host_seconds + seconds(question.old_missing_on_host, question.old_from);
  for (const MergePart& part : question.parts)
    if (!part.in_host_memory) total += seconds(part.stored, part.from);
  return total + upload_seconds(question);
}

double merge_seconds_on(const MergeQuestion& question, std::size_t place) {
  const MergePart& here = question.parts[place];
  double total = kMergeDeviceSeconds + seconds(here.old_missing, here.to) +
                 seconds(question.old_missing_on_host, kMergeDeviceRate);
  for (std::size_t i = 0; i < question.parts.size(); ++i) {
    if (i == place) continue;
    const MergePart& part = question.parts[i];
    total += seconds(part.stored, here.to) + seconds(part.stored, kMergeDeviceRate);
    if (!part.in_host_memory) total += seconds(part.stored, part.from);
  }
  if (!question.next_user) return total + kWantedElsewhere * seconds(question.joined, here.from);
  if (*question.next_user == here.device) return total;
  return total + seconds(question.joined, here.from) + upload_seconds(question);
}

std::optional<std::size_t> merge_place(const MergeQuestion& question, bool always) {
  std::optional<std::size_t> best;
  double least = kMergePlaceGain * merge_seconds_on_host(question);
  bool bound = !always;
  for (std::size_t i = 0; i < question.parts.size(); ++i) {
    if (!question.parts[i].replays) continue;
    const double cost = merge_seconds_on(question, i);
    if (bound && cost >= least) continue;
    best = i;
    least = cost;
    bound = true;
  }
  return best;
}

}  // namespace skmd::domain
