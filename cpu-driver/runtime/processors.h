// SPDX-License-Identifier: Apache-2.0
// This host's processors, and those that this process may use, as the system reports them.
#pragma once

#include <string>
#include <vector>

#include "cpu-driver/runtime/topology.h"

namespace skmd::cpu {

/// The processors of the calling thread's affinity mask, ascending; {0} if the system does not say.
std::vector<unsigned> affinity();

/// How many these are; at least 1.
unsigned usable_processors();

/// Reads `root`/sys and `root`/proc. Defaults for what cannot be read: each processor a core, one cache, one node, no
/// limit. `usable`: this process's processors.
Topology read_topology(const std::string& root, const std::vector<unsigned>& usable);

/// This host's, as it is now. Costs some file reads for each processor.
Topology this_topology();

}  // namespace skmd::cpu
