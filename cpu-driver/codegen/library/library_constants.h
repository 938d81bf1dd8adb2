// SPDX-License-Identifier: Apache-2.0
// Which functions of the library are inlined.
#pragma once

namespace skmd::codegen::tuning {

/// Accesses of a kernel to images that are inlined; kernels with more of them would take too long to be made vectors
/// of. Source: chosen, not measured beside other numbers: a 3x3 filter has ten.
inline constexpr int kMaxQuick = 32;
/// Calls of one short function of mathematics up to which it is inlined: calls cost more than it does, but code of a
/// program that has very many is to stay small. Source: chosen, not measured beside other numbers.
inline constexpr unsigned kMaxInlinedCalls = 24;

}  // namespace skmd::codegen::tuning
