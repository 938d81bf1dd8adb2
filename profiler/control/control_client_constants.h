// SPDX-License-Identifier: Apache-2.0
// How long skmd-ctl waits for a process that may not answer.
#pragma once

namespace skmd::profiler::tuning {

/// Seconds until a process that listens has to say what it is. Source: chosen: the child of a process holds its socket,
/// and never answers; a process of a busy machine answers within a second.
inline constexpr long kGreetingSeconds = 10;

}  // namespace skmd::profiler::tuning
