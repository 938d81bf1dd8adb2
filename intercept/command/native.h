// SPDX-License-Identifier: Apache-2.0
// clEnqueueNativeKernel: the application's function on our thread.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "intercept/memory/rect_region.h"
#include "intercept/memory/storage.h"
#include "intercept/object/command.h"

namespace skmd::icd {

struct NativeBuffer {
  std::shared_ptr<Storage> storage;  // null: the argument becomes a null pointer
  RectRegion region;
  std::size_t argument_offset = 0;  // where in the arguments the host address goes
};

/// The buffers are locked against launches, gathered before the call and host-written as a whole after it.
std::shared_ptr<Command> make_native(void(CL_CALLBACK* function)(void*), std::vector<std::byte> arguments,
                                     const std::vector<NativeBuffer>& buffers);

}  // namespace skmd::icd
