// SPDX-License-Identifier: Apache-2.0
#include "partitioner/plan/continuation.h"

#include <algorithm>

namespace skmd::domain {
namespace {

/// Groups that are predicted to take `rule.piece_seconds`, at least one.
std::uint64_t groups_of_a_piece(const PieceRule& rule, std::uint64_t most) {
  constexpr double kRounding = 1 + 1e-9;  // of the quotient's floating point
  const double groups = rule.piece_seconds / rule.group_seconds * kRounding;
  if (groups >= static_cast<double>(most)) return most;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(groups));
}

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace

GroupSpan next_piece(const GroupSpan& rest, std::uint64_t before, const PieceRule& rule) {
  if (rule.piece_seconds <= 0) return rest;
  std::uint64_t groups = 0;
  if (rule.group_seconds > 0) {
    const std::uint64_t most = groups_of_a_piece(rule, rest.size());
    groups = ceil_div(rest.size(), ceil_div(rest.size(), most));  // pieces of one length, none of them a remainder
  } else {
    groups = 2 * before;
  }
  const std::uint64_t least = std::max<std::uint64_t>(1, rule.least);
  groups = std::max(groups, least);
  if (groups >= rest.size() || rest.size() - groups < least) return rest;
  const std::uint64_t last = rest.first + groups;
  const std::uint64_t row = last - last % std::max<std::uint64_t>(1, rule.granularity);
  return {rest.first, row >= rest.first + least && groups >= rule.granularity ? row : last};
}

PieceSequence::PieceSequence(const GroupSpan& span) {
  // Pieces end where memory may not be had: few are under way at once, and between them are as few gaps.
  left_.reserve(kUnderWay + 2U);
  done_.reserve(kUnderWay + 2U);
  if (!span.empty()) left_.push_back(span);
}

std::optional<GroupSpan> PieceSequence::next(const PieceRule& rule) const {
  if (stopped_ || left_.empty()) return std::nullopt;
  return next_piece(left_.front(), before_, rule);
}

void PieceSequence::begin(const GroupSpan& piece) {
  left_.front().first = piece.last;
  if (left_.front().empty()) left_.erase(left_.begin());
  before_ = piece.size();
  ++under_way_;
}

void PieceSequence::ended(const GroupSpan& piece, std::uint64_t ran) {
  --under_way_;
  const std::uint64_t border = piece.first + std::min(ran, piece.size());
  insert_span(done_, {piece.first, border});
  insert_span(left_, {border, piece.last});
}

bool PieceSequence::covers(const GroupSpan& whole) const {
  std::uint64_t next = whole.first;
  std::size_t d = 0, l = 0;
  while (d < done_.size() || l < left_.size()) {
    const bool is_done = l == left_.size() || (d < done_.size() && done_[d].first < left_[l].first);
    const GroupSpan& span = is_done ? done_[d++] : left_[l++];
    if (span.first != next) return false;
    next = span.last;
  }
  return next == whole.last;
}

void insert_span(std::vector<GroupSpan>& spans, const GroupSpan& span) {
  if (span.empty()) return;
  auto at = std::lower_bound(spans.begin(), spans.end(), span,
                             [](const GroupSpan& a, const GroupSpan& b) { return a.first < b.first; });
  at = spans.insert(at, span);
  if (const auto next = at + 1; next != spans.end() && next->first == at->last) {
    at->last = next->last;
    spans.erase(next);
  }
  if (at != spans.begin() && (at - 1)->last == at->first) {
    (at - 1)->last = at->last;
    spans.erase(at);
  }
}

bool tiles(const GroupSpan& whole, std::vector<GroupSpan> parts) {
  std::erase_if(parts, [](const GroupSpan& part) { return part.empty(); });
  std::sort(parts.begin(), parts.end(), [](const GroupSpan& a, const GroupSpan& b) { return a.first < b.first; });
  std::uint64_t next = whole.first;
  for (const GroupSpan& part : parts) {
    if (part.first != next) return false;
    next = part.last;
  }
  return next == std::max(whole.first, whole.last);
}

}  // namespace skmd::domain
