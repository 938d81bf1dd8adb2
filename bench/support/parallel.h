// SPDX-License-Identifier: Apache-2.0
// Host references on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace bench {

/// Calls `body` with ranges [first, last) that together are [0, count), on as many threads as the machine has cores.
void parallel_for(std::size_t count, const std::function<void(std::size_t first, std::size_t last)>& body);

}  // namespace bench
