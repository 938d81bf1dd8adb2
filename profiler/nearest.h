// SPDX-License-Identifier: Apache-2.0
// What to say of a name that is not known. Pure.
#pragma once

#include <string>
#include <vector>

namespace skmd::profiler {

/// The name most like `name`; "" if none is.
std::string nearest(const std::string& name, const std::vector<std::string>& names);

/// `what "name"` is not known, and the nearest that is.
std::string unknown(const std::string& what, const std::string& name, const std::vector<std::string>& names);

}  // namespace skmd::profiler
