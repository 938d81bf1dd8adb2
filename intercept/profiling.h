// SPDX-License-Identifier: Apache-2.0
// What the environment asks to be measured and kept: the profile database, and profiling mode.
#pragma once

#include <functional>
#include <string>

#include "intercept/object/machine.h"

namespace skmd::icd {

/// Sets machine.profile, profile_file, profile_keys, profiling and settings.profile_tag, all of which live as long as
/// the process. `variable`: an environment variable's value, "" if it is not set. Recording is asked for by naming a
/// database; "read:FILE" and "off" record nothing. An error names a variable, its value and what is known.
/// Precondition: machine.devices is final and machine.observer was not told of them; no launch was made.
Status set_up_profiling(Machine& machine, const std::function<std::string(const char*)>& variable);

}  // namespace skmd::icd
