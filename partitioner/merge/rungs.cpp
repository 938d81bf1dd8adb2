// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>

#include "partitioner/merge/merge.h"

namespace skmd::domain {

namespace {

constexpr Rung kRungsOfUsers[] = {Rung::disjoint, Rung::kernel, Rung::diff, Rung::reduce};

}  // namespace

Result<RungSet> parse_rungs(std::string_view text) {
  constexpr std::string_view kOnDevices = "kernel@device";
  std::vector<Rung> rungs;
  bool on_devices = false;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const bool here = rest.substr(0, comma) == kOnDevices;
    const std::string_view item = here ? name(Rung::kernel) : rest.substr(0, comma);
    on_devices = on_devices || here;
    const auto found =
        std::find_if(std::begin(kRungsOfUsers), std::end(kRungsOfUsers), [&](Rung rung) { return name(rung) == item; });
    if (found == std::end(kRungsOfUsers))
      return Error{0, std::string("SKMD_TEST_RUNGS=").append(text) + ": " + "'" + std::string(item) + "'" +
                          " is no rung; rungs are disjoint, kernel, kernel@device, diff and reduce"};
    rungs.push_back(*found);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  RungSet set = RungSet::of(rungs);
  if (on_devices) set.replay_on_devices();
  return set;
}

}  // namespace skmd::domain
