// SPDX-License-Identifier: Apache-2.0
// What a driver takes for next to nothing.
#pragma once

#include <string>

namespace bench {

/// Answers, for the device that `selector` names, each line of standard input by a line of JSON:
///   empty   {"seconds"}: from enqueuing a kernel of one empty group until it is done
///   group   {"seconds"}: of one group of 64 items that look at their number and end, among many
///   half    {"all", "half"}: seconds of a kernel over many equal groups, and over half of them
/// Until the end of input.
void serve_probes(const std::string& selector);

}  // namespace bench
