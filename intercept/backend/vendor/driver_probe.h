// SPDX-License-Identifier: Apache-2.0
// What a driver does not tell, tried on its own queue with fills of scratch buffers: no compiler is needed for that.
#pragma once

#include "intercept/backend/vendor/native_queue.h"

namespace skmd::icd {

/// Whether work runs inside the enqueue or flush call (PoCL's basic device, oclgrind). One sight of an unfinished
/// command after a flush says no; the calling thread having spent the work's own processor time says yes.
Result<bool> driver_blocks(NativeQueue& queue);

/// Whether CL_MEM_USE_HOST_PTR is used in place: the device's writes are seen by the host without mapping, and the
/// other way round.
Result<bool> uses_host_memory(NativeQueue& queue);

}  // namespace skmd::icd
