// SPDX-License-Identifier: Apache-2.0
// Limits of child processes (child.h).
#pragma once

namespace skmd::compiler::tuning {

/// Processor time of a child that makes merge functions; the largest kernels take about 0.1 s. Source: chosen: two
/// hundred times as much, and a sixth of what the helper may take (kHelperProcessorSeconds).
inline constexpr unsigned kChildSeconds = 20;

}  // namespace skmd::compiler::tuning
