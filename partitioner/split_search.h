// SPDX-License-Identifier: Apache-2.0
// Looks for the split of a launch that ends first.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "partitioner/finish_lines.h"
#include "partitioner/phases.h"

namespace skmd::domain {

/// Lines of the measured devices, each through its time for the whole launch.
FinishLines measured_lines(const PartitionRequest& request, Arriving arriving);

/// Refers to the request. Its lines learn from what is asked, so that the next question is answered faster.
class SplitSearch {
 public:
  struct Candidate {
    std::vector<Slice> slices;
    double seconds = std::numeric_limits<double>::infinity();
    double around = 0.0;  // of these, what moves before and after
  };

  SplitSearch(const PartitionRequest& request, FinishLines lines, double joining_seconds, Arriving arriving);

  /// The best split that is predicted to win against `alone_seconds` by more than its devices' models are off, or
  /// without slices. What little is known of one device takes none of the others away. Slices that are pinned are in
  /// it, and do not count.
  Candidate winning(double alone_seconds);
  /// One device for all that is not pinned.
  std::vector<Slice> all_but_pinned(std::uint32_t device);
  /// What it takes, with what a split costs.
  Candidate of(std::vector<Slice> slices);

 private:
  using Busy = std::span<const FinishLine*>;
  Candidate best();
  [[nodiscard]] bool may_try(double seconds, double error, double alone_seconds) const;
  [[nodiscard]] double error_of(const FinishLine& line) const;
  double error_of(std::span<const Slice> slices);
  bool leave_out(double error, double alone_seconds);
  void round_shares(Busy busy, std::span<std::uint64_t> counts) const;
  static double expected_end(Busy busy, std::span<const std::uint64_t> counts);
  static void polish(Busy busy, std::span<std::uint64_t> counts);
  [[nodiscard]] std::uint64_t snapped(std::uint64_t border, double smaller_neighbour) const;
  void lay_out(std::vector<Slice>& out);
  SlowestPhases learn(std::span<const Slice> slices);

  const PartitionRequest& request_;
  PhaseCosts costs_;
  FinishLines lines_;
  double merge_seconds_;
};

}  // namespace skmd::domain
