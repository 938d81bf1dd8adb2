// SPDX-License-Identifier: Apache-2.0
// The kernels of iterate. Sizes that do not fit throw BadInput.
#pragma once

#include <cstddef>
#include <memory>

#include "bench/support/runner.h"

namespace bench {

/// y = a·x + y, fed back.
std::unique_ptr<Workload> make_axpy(const Device& device, std::size_t size, int steps);
/// Heat flow in a cube with `size` points along an edge; two buffers take turns.
std::unique_ptr<Workload> make_stencil3d(const Device& device, std::size_t size, int steps);
/// All-pairs gravity; two pairs of buffers take turns.
std::unique_ptr<Workload> make_iterated_nbody(const Device& device, std::size_t size, int steps);

/// Throws BadInput unless `size` is a positive multiple of `unit`, at most `limit`.
void require_multiple(std::size_t size, std::size_t unit, std::size_t limit);

}  // namespace bench
