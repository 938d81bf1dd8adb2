// SPDX-License-Identifier: Apache-2.0
// How much of foreign text the front end follows.
#pragma once

#include <cstddef>

namespace skmd::compiler::tuning {

/// Bytes of a build log. More is of no use to a reader, and generated programs give warnings by the million.
/// Source: chosen, not measured: some ten thousand lines.
inline constexpr std::size_t kMaxLogBytes = 1u << 20;
/// Parentheses, signs and conditions of an integer constant inside each other: programs hold anything. Source: chosen:
/// Clang's own limit of brackets (-fbracket-depth) is 256 too.
inline constexpr int kMaxConstantDepth = 256;

}  // namespace skmd::compiler::tuning
