// SPDX-License-Identifier: Apache-2.0
// Rectangles as every driver takes them. The specification bounds a rectangle by its last byte; NVIDIA's driver bounds
// it by the end of its last row's pitch, and wants rows inside their pitch.
#pragma once

#include <cstdint>
#include <vector>

#include "intercept/backend/port/port.h"
#include "partitioner/residency/transfer.h"

namespace skmd::icd {

/// `rows` of a buffer of `bytes` in parts that are one row, or a rectangle that every driver takes. In ascending order
/// of their first bytes.
domain::RowRuns as_rectangles(const domain::RowRun& rows, std::uint64_t bytes);

/// The same in parts of at most `most` bytes, and of whole rows where a row is no longer than that.
std::vector<domain::RowRun> as_pieces(const domain::RowRun& rows, std::uint64_t bytes, std::uint64_t most);

/// Origin of the byte at `begin` in rows of `pitch[0]` and slices of `pitch[1]` bytes, if a box of `region` there is
/// one that every driver takes, in a buffer of `bytes`.
struct BoxPlace {
  bool fits = false;
  std::size_t origin[3] = {};
};
BoxPlace box_place(std::uint64_t begin, const std::uint64_t* pitch, const std::uint64_t* region, std::uint64_t bytes);

}  // namespace skmd::icd
