// SPDX-License-Identifier: Apache-2.0
// Whether a launch stays inside of its buffers.
#pragma once

#include <span>

#include "partitioner/footprint/footprint.h"

namespace skmd::domain {

/// Whether no access of the launch can be outside of the bytes of its argument, of which none are `before`. False: some
/// may be. `arguments` as of evaluate(), without images.
bool stays_inside(const KernelTraits& traits, const NdRange& range, std::span<const ArgumentView> arguments);

}  // namespace skmd::domain
