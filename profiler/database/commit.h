// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skmd::profiler {

/// Of the sources that this was built from, 12 digits or more, with a "+" where they had changes; "" where git did not
/// tell.
std::string commit();

}  // namespace skmd::profiler
