// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/checkpoint_stats.h"

#include "intercept/observe/json_members.h"

namespace skmd::icd {

void CheckpointStats::add(const CheckpointReport& report) {
  last_.push_back(report);
  if (last_.size() > kKept) last_.pop_front();
}

void CheckpointStats::append(std::string& out) const {
  out += ",\n\"checkpoints\":[";
  for (const CheckpointReport& report : last_) {
    out += out.back() == '[' ? "{" : ",{";
    append_member(out, "bytes", report.bytes);
    append_member(out, "seconds", report.seconds);
    out += '}';
  }
  out += ']';
}

}  // namespace skmd::icd
