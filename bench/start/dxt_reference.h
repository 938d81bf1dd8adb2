// SPDX-License-Identifier: Apache-2.0
// DXT1 on the host, in double precision.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace bench {

using Colour = std::array<double, 3>;  // each 0 to 1
using Pixels = std::array<Colour, 16>;

/// Every way to part 16 pixels in their order into the clusters 0, 2, 3, 1 (the two colours and those between them),
/// two bits to a pixel. Those in which all pixels are in one cluster are left out: they fix only one of the colours.
std::vector<std::uint32_t> dxt_partitions();

/// Of a compressed block: the sum of the squares of what is off in its pixels.
double dxt_error(const Pixels& pixels, std::uint32_t ends, std::uint32_t indices);

/// The least error of all partitions, the pixels being ordered along their principal axis and the two colours being
/// what fits a partition best, rounded to 16 bits.
double dxt_best_error(const Pixels& pixels, const std::vector<std::uint32_t>& partitions);

}  // namespace bench
