// SPDX-License-Identifier: Apache-2.0
// The runtime's threads, for the rooms above the backend.
#pragma once

#include "cpu-driver/runtime/threads.h"

namespace skmd::icd {

using cpu::fork_generation;
using cpu::quiet_thread;
using cpu::spin_until;

}  // namespace skmd::icd
