// SPDX-License-Identifier: Apache-2.0
// Searches for the split of a launch that ends first.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "partitioner/plan/completion_curves.h"
#include "partitioner/plan/phases.h"

namespace skmd::domain {

/// Completion-time curves of the measured devices, each through its time for the whole launch.
CompletionCurves measured_lines(const PartitionRequest& request, Arriving arriving);

/// Keeps a reference to the request. Each call refines the curves, so that the next one is faster. Not thread-safe.
class SplitSearch {
 public:
  struct Candidate {
    std::vector<Slice> slices;
    double seconds = std::numeric_limits<double>::infinity();
    double around = 0.0;  // of these seconds, transfers before and after
  };

  SplitSearch(const PartitionRequest& request, CompletionCurves lines, double joining_seconds, Arriving arriving);

  /// The best split that is predicted to beat `alone_seconds` by more than the errors of its devices' models; without
  /// slices if there is none. A device with a large error is left out instead of preventing splits of the others.
  /// Pinned slices are included, and their errors are not counted.
  Candidate winning(double alone_seconds);
  /// The pinned slices, and `device` for all other groups.
  std::vector<Slice> all_but_pinned(std::uint32_t device);
  /// The predicted time of `slices`, including the cost of a split.
  Candidate of(std::vector<Slice> slices);

 private:
  using Busy = std::span<const CompletionCurve* const>;
  Candidate best();
  [[nodiscard]] bool may_try(double seconds, double error, double alone_seconds) const;
  [[nodiscard]] double error_of(const CompletionCurve& line) const;
  double error_of(std::span<const Slice> slices);
  bool leave_out(double error, double alone_seconds);
  static std::uint64_t give_to_first(Busy busy, std::span<std::uint64_t> counts, std::uint64_t left,
                                     SlowestPhases& slowest);
  void round_shares(Busy busy, std::span<std::uint64_t> counts) const;
  static double expected_end(Busy busy, std::span<const std::uint64_t> counts);
  static SlowestPhases phases_of(Busy busy, std::span<const std::uint64_t> counts);
  static void polish(Busy busy, std::span<std::uint64_t> counts);
  static void empty_some(Busy busy, std::span<std::uint64_t> counts);
  [[nodiscard]] std::uint64_t snapped(std::uint64_t border, double smaller_neighbour) const;
  void lay_out(std::vector<Slice>& out);
  SlowestPhases learn(std::span<const Slice> slices);

  const PartitionRequest& request_;
  PhaseCosts costs_;
  CompletionCurves lines_;
  double split_seconds_;
};

}  // namespace skmd::domain
