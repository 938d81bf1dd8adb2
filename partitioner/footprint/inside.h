// SPDX-License-Identifier: Apache-2.0
// Whether a launch stays inside of its buffers and of its local memory.
#pragma once

#include <span>

#include "partitioner/footprint/footprint.h"

namespace skmd::domain {

/// True: every access of the launch is inside of its argument's bytes, of which none are `before`, or of its local
/// variable. False: that is not proved. `arguments` as of evaluate(), without images; the `bytes` of a local argument
/// are those that it was set to.
bool stays_inside(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments);

}  // namespace skmd::domain
