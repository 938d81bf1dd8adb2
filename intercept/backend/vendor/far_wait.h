// SPDX-License-Identifier: Apache-2.0
// Waiting for a device in another machine, which may never answer: no thread of ours waits inside its driver.
#pragma once

#include "intercept/backend/vendor/native_objects.h"

namespace skmd::icd {

/// Blocks until the event has ended: CL_SUCCESS, or its negative status. After kSilence without it, and each time
/// again, asks the device whether it is available; if it is not, marks the context as gone. CL_DEVICE_NOT_AVAILABLE: it
/// is gone; the event is left as it is. Any number of threads at once.
cl_int await_far(NativeContext& context, cl_event event);

}  // namespace skmd::icd
