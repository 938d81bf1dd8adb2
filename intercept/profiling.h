// SPDX-License-Identifier: Apache-2.0
// What the environment asks to be measured and kept: the profile database, and profiling mode.
#pragma once

#include <functional>
#include <string>

#include "intercept/object/machine.h"

namespace skmd::icd {

struct ProfilingPlaces {
  std::string cache_folder;  // profile.db is there by default; "": there is none
  std::string shipped;       // folder of the profiles that came with SKMD
};

/// Sets machine.model, knowledge, profile, profile_keys, profiling and what settings have of profiling, all of which
/// live as long as the process. `variable`: an environment variable's value, "" if it is not set. With SKMD_PROFILE_DB
/// "off" nothing is kept or known; with "read:FILE" nothing is kept. An error names a variable, its value and what is
/// known. Precondition: machine.devices is final and machine.observer was not told of them; no launch was made.
Status set_up_profiling(Machine& machine, const std::function<std::string(const char*)>& variable,
                        const ProfilingPlaces& places);

}  // namespace skmd::icd
