// SPDX-License-Identifier: Apache-2.0
// How kernels are written down as text.
#pragma once

#include <cstdint>

namespace skmd::compiler::tuning {

/// Expressions inside each other in one statement. Source: chosen: Clang, which vendors' compilers are made of, takes
/// 256 brackets (-fbracket-depth), and an expression here has up to four.
inline constexpr unsigned kMaxNesting = 24;
/// Pieces of a copy or a fill of known size that are written out; more are a loop. Source: chosen: the small structs
/// and tables that compilers keep in registers have fewer.
inline constexpr std::uint64_t kStraightPieces = 16;

}  // namespace skmd::compiler::tuning
