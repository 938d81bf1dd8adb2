// SPDX-License-Identifier: Apache-2.0
// The processes of which this program's figures come: programs on SKMD's CPU driver alone.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/cpu/child.h"
#include "bench/launches/preempt_rows.h"
#include "bench/start/sides.h"

namespace bench {

using Variables = std::map<std::string, std::string>;

/// What the driver of a process that has ended left in the file of SKMD_STATS. Throws std::runtime_error if it left
/// nothing.
nlohmann::json read_statistics(const std::string& file);

/// Their caches are kept among them.
class Processes {
 public:
  /// Throws std::runtime_error if there is no driver. Keeps a reference.
  explicit Processes(const PreemptPlace& place);

  [[nodiscard]] const std::string& selector() const { return side_.selector; }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.path() + "/" + name; }
  /// The variables of a process, where `more` is its own.
  [[nodiscard]] Variables with(Variables more) const;
  [[nodiscard]] std::vector<std::string> workload(const std::string& name, const std::vector<std::string>& more) const;

 private:
  const PreemptPlace& place_;
  TemporaryFolder folder_;
  StartSide side_;
};

}  // namespace bench
