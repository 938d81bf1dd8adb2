// SPDX-License-Identifier: Apache-2.0
// How long others may take at the socket, and how files are named.
#pragma once

#include <chrono>
#include <cstddef>

namespace skmd::icd::tuning {

/// Clients that may wait to be served. Source: chosen: a person, and a few scripts.
inline constexpr int kWaitingClients = 16;
/// How long a client may take to say what it wants, and to take the answer. Source: chosen: skmd-ctl writes at once.
inline constexpr std::chrono::seconds kClientTime{5};

/// Characters of a kernel's name in the name of its file. Source: names of files have at most 255 in all usual file
/// systems, and the rest of the name takes less than 40.
inline constexpr std::size_t kKernelInName = 200;

}  // namespace skmd::icd::tuning
