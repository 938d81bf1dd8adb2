// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/preempt_stats.h"

#include <algorithm>

#include "intercept/observe/json_members.h"

namespace skmd::icd {
namespace {

void add_up(std::vector<std::uint64_t>& sums, const std::vector<std::uint64_t>& counts) {
  if (sums.size() < counts.size()) sums.resize(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) sums[i] += counts[i];
}

void append_list(std::string& out, const char* key, const std::vector<std::uint64_t>& counts, std::size_t devices) {
  out.append(",\"").append(key).append("\":[");
  for (std::size_t i = 0; i < devices; ++i) {
    if (i != 0) out += ',';
    append_json(out, i < counts.size() ? counts[i] : std::uint64_t{0});
  }
  out += ']';
}

}  // namespace

void PreemptStats::add(const PreemptReport& report) {
  form_ = std::max(form_, report.form);
  if (report.why_not && report.form == PreemptForm::none) ++why_not_[static_cast<std::size_t>(*report.why_not)];
  never_ran_groups_ += report.never_ran_groups;
  saved_groups_ += report.saved_groups;
  resumed_items_ += report.resumed_items;
  resumed_together_ += report.resumed_together;
  resumed_apart_ += report.resumed_apart;
  rebalances_ += report.rebalances;
  rebalanced_groups_ += report.rebalanced_groups;
  state_bytes_ = std::max(state_bytes_, report.state_bytes);
  points_ = std::max(points_, report.points);
  stops_ += report.stop_ns.size();
  for (const std::uint64_t ns : report.stop_ns) stop_times_.add(ns);
  add_up(moved_groups_, report.moved_groups);
  add_up(moved_inside_, report.moved_inside);
}

void PreemptStats::append(std::string& out, std::size_t devices) const {
  out += ",\"preempt\":{";
  append_text_member(out, "form", name(form_));
  out += ",\"why_not\":{";
  for (std::size_t i = 0; i < why_not_.size(); ++i)
    if (why_not_[i] != 0) append_member(out, name(static_cast<NotPreempted>(i)), why_not_[i]);
  out += '}';
  append_member(out, "points", std::uint64_t{points_});
  append_member(out, "state_bytes", state_bytes_);
  append_member(out, "stops", stops_);
  append_member(out, "saved_groups", saved_groups_);
  append_member(out, "never_ran_groups", never_ran_groups_);
  append_member(out, "resumed_items", resumed_items_);
  out += ",\"resumed_groups\":{";
  append_member(out, "together", resumed_together_);
  append_member(out, "apart", resumed_apart_);
  out += '}';
  append_member(out, "rebalances", rebalances_);
  append_member(out, "rebalanced_groups", rebalanced_groups_);
  append_list(out, "moved_groups", moved_groups_, devices);
  append_list(out, "moved_inside", moved_inside_, devices);
  out += ",\"stop_us\":{";
  append_member(out, "p50", stop_times_.percentile_us(0.5));
  append_member(out, "p99", stop_times_.percentile_us(0.99));
  append_member(out, "max", stop_times_.max_us());
  out += "}}";
}

}  // namespace skmd::icd
