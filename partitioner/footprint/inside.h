// SPDX-License-Identifier: Apache-2.0
// Whether a launch stays inside of its buffers and of its local memory.
#pragma once

#include <span>

#include "partitioner/footprint/footprint.h"

namespace skmd::domain {

/// Whether no access of the launch can be outside of the bytes of its argument, of which none are `before`, or of its
/// local variable. False: some may be. `arguments` as of evaluate(), without images; the `bytes` of a local argument
/// are those that it was set to.
bool stays_inside(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments);

}  // namespace skmd::domain
