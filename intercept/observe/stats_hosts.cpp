// SPDX-License-Identifier: Apache-2.0
#include "intercept/observe/json_members.h"
#include "intercept/observe/stats.h"

namespace skmd::icd {
namespace {

/// "key":null where the number is not known.
void append_known(std::string& out, const char* key, const std::optional<double>& value) {
  if (value) return append_member(out, key, *value);
  out += std::string(",\"") + key + "\":null";
}

}  // namespace

void Stats::append_hosts(std::string& out) const {
  out += ",\n\"hosts\":[";
  for (const ObservedHost& host : hosts_) {
    out += &host == hosts_.data() ? "\n {" : ",\n {";
    append_text_member(out, "host", host.address);
    append_known(out, "round_trip_us", host.round_trip_us);
    append_known(out, "to_gbps", host.to_gbps);
    append_known(out, "from_gbps", host.from_gbps);
    out += host.lost ? ",\"lost\":true}" : ",\"lost\":false}";
  }
  out += ']';
}

}  // namespace skmd::icd
