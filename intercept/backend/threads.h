// SPDX-License-Identifier: Apache-2.0
// The runtime's threads and how many the process may run, for the rooms above the backend.
#pragma once

#include "cpu-driver/runtime/processors.h"
#include "cpu-driver/runtime/threads.h"

namespace skmd::icd {

using cpu::fork_generation;
using cpu::quiet_thread;
using cpu::spin_until;
using cpu::this_thread_id;
using cpu::usable_processors;

}  // namespace skmd::icd
