// SPDX-License-Identifier: Apache-2.0
// How long others may take at the socket.
#pragma once

#include <chrono>

namespace skmd::icd::tuning {

/// Clients that may wait to be served. Source: chosen: a person, and a few scripts.
inline constexpr int kWaitingClients = 16;
/// How long a client may take to say what it wants, and to take the answer. Source: chosen: skmd-ctl writes at once.
inline constexpr std::chrono::seconds kClientTime{5};

}  // namespace skmd::icd::tuning
