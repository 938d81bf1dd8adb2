// SPDX-License-Identifier: Apache-2.0
// What the environment asks to be measured and kept: the profile database, and profiling mode.
#pragma once

#include <functional>
#include <string>

#include "intercept/machine/machine.h"
#include "profiler/settings/variables.h"

namespace skmd::icd {

struct ProfilingPlaces {
  std::string cache_folder;  // profile.db is there by default; "": there is none
  std::string shipped;       // folder of the profiles that came with SKMD
};

/// An environment variable's value, "" if it is not set.
using ReadVariable = std::function<std::string(const settings::Variable&)>;

/// Sets machine.model, knowledge, profile, profile_keys, profiling and what settings have of profiling, all of which
/// live as long as the process. With SKMD_PROFILE_DB "off" nothing is kept or known; with "read:FILE" nothing is kept.
/// An error names a variable, its value and what is known. Precondition: machine.devices is final and machine.observer
/// was not told of them; no launch was made.
Status set_up_profiling(Machine& machine, const ReadVariable& variable, const ProfilingPlaces& places);

}  // namespace skmd::icd
