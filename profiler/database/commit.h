// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skmd::profiler {

/// The commit of the sources that this was built from, 12 digits or more, with a "+" if they had changes; "" if git
/// gave none.
std::string commit();

}  // namespace skmd::profiler
