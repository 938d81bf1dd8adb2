// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/trap_stats.h"

#include <string_view>

#include "intercept/observe/json_members.h"

namespace skmd::icd {

void TrapStats::add(const TrapReport& report) {
  count_ += report.count;
  never_ran_ += report.never_ran;
  if (first_.size() >= kKept) return;
  std::string text = "{";
  append_text_member(text, "kernel", std::string_view(report.kernel).substr(0, kName));
  if (report.line != 0)
    append_member(text, "line", std::uint64_t{report.line});
  else
    text += ",\"line\":null";
  if (!report.file.empty()) append_text_member(text, "file", std::string_view(report.file).substr(0, kName));
  append_text_member(text, "kind", report.kind);
  text += ",\"item\":[";
  for (unsigned d = 0; d < 3; ++d) {
    if (d != 0) text += ',';
    append_json(text, report.item[d]);
  }
  first_.push_back(text + "]}");
}

void TrapStats::add(const LeftReport& report) {
  left_items_ += report.items;
  left_groups_ += report.groups;
  if (!report.why_not.empty() && (why_not_.size() < kKept || why_not_.contains(report.why_not)))
    ++why_not_[report.why_not.substr(0, kName)];
}

void TrapStats::append(std::string& out) const {
  out += ",\n\"traps\":{";
  append_member(out, "count", count_);
  append_member(out, "never_ran", never_ran_);
  append_member(out, "left_items", left_items_);
  append_member(out, "left_groups", left_groups_);
  out += ",\"why_not\":{";
  for (const auto& [reason, launches] : why_not_) append_member(out, reason.c_str(), launches);
  out += "},\"first\":[";
  for (const std::string& trap : first_) {
    out += &trap == first_.data() ? "\n " : ",\n ";
    out += trap;
  }
  out += "]}";
}

}  // namespace skmd::icd
