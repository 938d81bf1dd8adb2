// SPDX-License-Identifier: Apache-2.0
#include "intercept/backend/port/rectangles.h"

#include <algorithm>

namespace skmd::icd {
namespace {

// CUDA refuses pitches of 2 GiB and more.
constexpr std::uint64_t kMaxPitch = 0x7fffffff;

void add_rows(const domain::RowRun& rows, domain::RowRuns& parts) {
  for (std::uint64_t i = 0; i < rows.rows; ++i)
    parts.push_back({rows.begin + i * rows.stride, rows.width, rows.stride, 1});
}

/// Rows that lie inside their pitch.
void add_inside(const domain::RowRun& rows, std::uint64_t bytes, domain::RowRuns& parts) {
  if ((rows.begin / rows.stride + rows.rows) * rows.stride <= bytes) {
    parts.push_back(rows);
    return;
  }
  // The last row's pitch passes the buffer's end; those before it end where the last begins, or earlier.
  parts.push_back({rows.begin, rows.width, rows.stride, rows.rows - 1});
  parts.push_back({rows.begin + (rows.rows - 1) * rows.stride, rows.width, rows.stride, 1});
}

}  // namespace

domain::RowRuns as_rectangles(const domain::RowRun& rows, std::uint64_t bytes) {
  domain::RowRuns parts;
  if (rows.rows <= 1 || rows.stride < rows.width || rows.stride > kMaxPitch) {
    add_rows(rows, parts);
    return parts;
  }
  const std::uint64_t room = rows.stride - rows.begin % rows.stride;
  if (rows.width <= room) {
    add_inside(rows, bytes, parts);
    return parts;
  }
  add_inside({rows.begin, room, rows.stride, rows.rows}, bytes, parts);
  add_inside({rows.begin + room, rows.width - room, rows.stride, rows.rows}, bytes, parts);
  return parts;
}

std::vector<domain::RowRun> as_pieces(const domain::RowRun& rows, std::uint64_t bytes, std::uint64_t most) {
  std::vector<domain::RowRun> pieces;
  for (const domain::RowRun& part : as_rectangles(rows, bytes)) {
    if (part.width <= most) {
      const std::uint64_t each = std::max<std::uint64_t>(1, most / part.width);
      for (std::uint64_t row = 0; row < part.rows; row += each)
        pieces.push_back({part.begin + row * part.stride, part.width, part.stride, std::min(each, part.rows - row)});
      continue;
    }
    for (std::uint64_t row = 0; row < part.rows; ++row)
      for (std::uint64_t at = 0; at < part.width; at += most)
        pieces.push_back({part.begin + row * part.stride + at, std::min(most, part.width - at), part.stride, 1});
  }
  return pieces;
}

BoxPlace box_place(std::uint64_t begin, const std::uint64_t* pitch, const std::uint64_t* region, std::uint64_t bytes) {
  BoxPlace place;
  const std::uint64_t row = pitch[0];
  const std::uint64_t slice = region[2] > 1 ? pitch[1] : bytes - bytes % row;
  if (row == 0 || row > kMaxPitch || slice == 0 || slice % row != 0) return place;
  const std::uint64_t in_slice = region[2] > 1 ? begin % slice : begin;
  const std::uint64_t x = in_slice % row;
  const std::uint64_t y = in_slice / row;
  const std::uint64_t z = region[2] > 1 ? begin / slice : 0;
  place.fits = x + region[0] <= row && (y + region[1]) * row <= slice && (z + region[2]) * slice <= bytes;
  place.origin[0] = x;
  place.origin[1] = y;
  place.origin[2] = z;
  return place;
}

}  // namespace skmd::icd
